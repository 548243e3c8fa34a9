package gitwork

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// adminFile is one entry of a git directory, under the name that it has in a stand-alone one.
type adminFile struct {
	name   string // relative, slash-separated
	source string // where it lies
	stamp
}

// What a stand-alone git directory does not have, or what is captured in another way.
var (
	elsewhere = []string{"objects", "modules", "worktrees"}
	pointers  = []string{"commondir", "gitdir", "locked"}
	stores    = []string{"lfs", "annex"} // content, perhaps gigabytes of it
	// shared is what a linked worktree has from the common directory.
	shared = []string{
		"branches", "hooks", "info", "logs", "refs", "rr-cache", "config", "packed-refs", "shallow", "description",
		"remotes", "lfs", "annex",
	}
	// perWorktree is what each worktree has for itself although it lies among what is shared.
	perWorktree = []string{
		"info/sparse-checkout", "logs/HEAD", "refs/bisect", "refs/rewritten", "refs/worktree",
		"logs/refs/bisect", "logs/refs/rewritten", "logs/refs/worktree",
	}
)

// followed may be symbolic links, as git itself follows them when a working directory shares a repository's files.
var followed = []string{"refs", "logs", "logs/refs", "info", "packed-refs", "rr-cache", "remotes", "hooks", "config", "shallow", "lfs", "annex"}

// adminFiles lists the merged git directory of r in order, directories before what is in them.
func adminFiles(ctx context.Context, r Repository) ([]adminFile, error) {
	own, err := walkAdmin(ctx, r.GitDir, func(name string) bool {
		return slices.Contains(elsewhere, name) || slices.Contains(pointers, name)
	})
	if err != nil || !r.Linked() {
		return own, err
	}
	common, err := walkAdmin(ctx, r.CommonDir, func(name string) bool {
		top, _, _ := strings.Cut(name, "/")
		return !slices.Contains(shared, top) || slices.Contains(perWorktree, name)
	})
	return mergeAdmin(common, own), err
}

// mergeAdmin lays over over under, by name.
func mergeAdmin(under, over []adminFile) []adminFile {
	byName := make(map[string]adminFile, len(under)+len(over))
	for _, f := range slices.Concat(under, over) {
		byName[f.name] = f
	}
	merged := make([]adminFile, 0, len(byName))
	for _, f := range byName {
		merged = append(merged, f)
	}
	slices.SortFunc(merged, func(a, b adminFile) int { return strings.Compare(a.name, b.name) })
	return merged
}

// walkAdmin lists what is below dir and not skipped. Lock files and sockets are nobody's work.
func walkAdmin(ctx context.Context, dir string, skip func(name string) bool) ([]adminFile, error) {
	w := adminWalk{ctx: ctx, skip: skip}
	err := w.directory(dir, "")
	return w.files, err
}

type adminWalk struct {
	ctx   context.Context
	skip  func(name string) bool
	files []adminFile
}

func (w *adminWalk) directory(dir, name string) error {
	names, err := readNames(dir)
	if err != nil && (name == "" || !isGone(err)) {
		return unreadable(dir, err)
	}
	slices.Sort(names)
	for _, base := range names {
		if err := context.Cause(w.ctx); err != nil {
			return err
		}
		if err := w.entry(filepath.Join(dir, base), joinName(name, base)); err != nil {
			return err
		}
	}
	return nil
}

func (w *adminWalk) entry(path, name string) error {
	if w.skip(name) || strings.HasSuffix(name, ".lock") {
		return nil
	}
	f, err := adminEntry(path, name)
	if isGone(err) {
		return nil // it went away after its directory was read; the look at the end tells
	}
	if err != nil {
		return unreadable(path, err)
	}
	if err := f.checkKind(); err != nil {
		return err
	}
	if !f.isDir() && !f.isRegular() && !f.isLink() {
		return nil
	}
	w.files = append(w.files, f)
	if f.isDir() {
		return w.directory(f.source, name)
	}
	return nil
}

// essential are the files without which, or with half of which, a git directory says something else.
var essential = []string{"HEAD", "index", "config", "config.worktree", "packed-refs"}

// checkKind refuses what is no file under the name of one that a repository rests on.
func (f adminFile) checkKind() error {
	if !slices.Contains(essential, f.name) && !strings.HasPrefix(f.name, "sharedindex.") || f.isRegular() || f.isLink() && linksReference(f.source) {
		return nil
	}
	if f.isLink() {
		return unsupported(f.source, "it leads to no regular file")
	}
	return unsupported(f.source, "it is no regular file")
}

func adminEntry(path, name string) (adminFile, error) {
	st, err := lstat(path)
	f := adminFile{name: name, source: path, stamp: st}
	if err != nil || !st.isLink() {
		return f, err
	}
	if slices.Contains(followed, name) {
		if f.source, err = filepath.EvalSymlinks(path); err == nil {
			f.stamp, err = lstat(f.source)
		}
		return f, err
	}
	return throughLink(f), nil
}

// throughLink returns the file that a link leads to under the name of the link: git that found the link in a copy would
// read, and at an index write, what it leads to. What leads to no file stays a link, and so does what git takes for the
// name of a reference, a hook, or content of another program.
func throughLink(f adminFile) adminFile {
	top, _, _ := strings.Cut(f.name, "/")
	if top == "hooks" || slices.Contains(stores, top) || linksReference(f.source) {
		return f
	}
	real, err := filepath.EvalSymlinks(f.source)
	if err != nil {
		return f
	}
	if st, err := lstat(real); err == nil && st.isRegular() {
		return adminFile{name: f.name, source: real, stamp: st}
	}
	return f
}

// linksReference reports whether git reads a link as the name of a reference, as HEAD was long ago.
func linksReference(path string) bool {
	target, err := os.Readlink(path)
	return err == nil && strings.HasPrefix(target, "refs/") && filepath.IsLocal(target)
}

func joinName(dir, base string) string {
	if dir == "" {
		return base
	}
	return dir + "/" + base
}
