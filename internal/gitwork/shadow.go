package gitwork

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"holdfast/internal/gitwork/packfile"
)

// shadow is a private git directory with a copy of the source's, less objects, hooks and configuration.
type shadow struct {
	repo
	source  Repository
	scratch string
	format  packfile.Format
	config  sourceConfig
	stores  []string // the source's object directories, its own first
	admin   []adminFile
	changed map[string]string // what moved while it was read: path to what was seen
}

// newShadow copies the source's git directory below scratch, which must be an empty directory of ours. Git cannot
// run in it before arm, and then no longer than limit at a time.
func newShadow(ctx context.Context, git Git, source Repository, scratch string, limit time.Duration) (*shadow, error) {
	s := &shadow{
		repo:   repo{git: git, dir: filepath.Join(scratch, "shadow"), worktree: source.Worktree, home: filepath.Join(scratch, "home"), limit: limit},
		source: source, scratch: scratch, changed: map[string]string{},
	}
	for _, dir := range []string{s.home, s.dir, filepath.Join(s.dir, "objects", "info"), filepath.Join(s.dir, "objects", "pack"), filepath.Join(s.dir, "refs")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
	}
	var err error
	if s.admin, err = adminFiles(ctx, source); err != nil {
		return nil, err
	}
	for _, f := range s.admin {
		if err := s.copyAdmin(ctx, f); err != nil {
			return nil, err
		}
	}
	if s.config, err = s.readConfig(ctx); err != nil {
		return nil, err
	}
	s.format = s.config.format()
	if s.stores, err = objectStores(filepath.Join(source.CommonDir, "objects")); err != nil {
		return nil, err
	}
	return s, nothingToWaitFor(s.stores)
}

// Where the parts of the source's git directory go that git must not find in the shadow.
func (s *shadow) asideConfig() string         { return filepath.Join(s.scratch, "config") }
func (s *shadow) asideWorktreeConfig() string { return filepath.Join(s.scratch, "config.worktree") }

// place returns where a copy of the admin file goes, or "" where none is made.
func (s *shadow) place(name string) string {
	top, _, _ := strings.Cut(name, "/")
	switch {
	case name == "config":
		return s.asideConfig()
	case name == "config.worktree":
		return s.asideWorktreeConfig()
	case top == "hooks" || slices.Contains(stores, top):
		return ""
	}
	return filepath.Join(s.dir, filepath.FromSlash(name))
}

func (s *shadow) copyAdmin(ctx context.Context, f adminFile) error {
	to := s.place(f.name)
	if err := context.Cause(ctx); err != nil || to == "" {
		return err
	}
	err := s.copyOne(f, to)
	if isGone(err) {
		s.changed[f.source] = "went away or was replaced while it was read"
		return nil
	}
	if errors.Is(err, fs.ErrPermission) {
		return unreadable(f.source, err)
	}
	return err
}

func (s *shadow) copyOne(f adminFile, to string) error {
	switch {
	case f.isDir():
		return os.MkdirAll(to, 0o700)
	case f.isLink():
		return copyReference(f.source, to)
	}
	moved, err := copyStable(f.source, to)
	if moved {
		s.changed[f.source] = "was written to while it was read"
	}
	return err
}

// copyReference copies a link that names a reference. Any other leads out of the shadow, to where git must neither read,
// write nor wait.
func copyReference(from, to string) error {
	if !linksReference(from) {
		return nil
	}
	target, err := os.Readlink(from)
	if err != nil {
		return err
	}
	return os.Symlink(target, to)
}

// arm makes the shadow a repository that git can work in. With raw, files are compared byte for byte; without, line
// endings and the like count as git counts them.
func (s *shadow) arm(ctx context.Context, raw bool) error {
	if err := s.writeConfig(ctx); err != nil {
		return err
	}
	if err := s.writeAlternates(); err != nil {
		return err
	}
	return s.writeAttributes(raw)
}

// attributesRaw outranks every .gitattributes, since it is in info/attributes.
const (
	attributesSafe = "* -filter !diff !merge\n"
	attributesRaw  = "* -filter -text -eol -ident -working-tree-encoding !diff !merge\n"
)

func (s *shadow) writeAttributes(raw bool) error {
	file := filepath.Join(s.dir, "info", "attributes")
	text := []byte(attributesRaw)
	if !raw {
		kept, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		text = append(append(kept, '\n'), attributesSafe...)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}

func (s *shadow) alternates() string { return filepath.Join(s.dir, "objects", "info", "alternates") }

func (s *shadow) writeAlternates() error {
	var b strings.Builder
	for _, store := range s.stores {
		b.WriteString(quotePath(store) + "\n")
	}
	return os.WriteFile(s.alternates(), []byte(b.String()), 0o600)
}

// quotePath writes a path as git reads it back from a line.
func quotePath(path string) string {
	if !strings.ContainsAny(path, "\"\\\n") {
		return path
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(path) + `"`
}
