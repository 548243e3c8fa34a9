package gitwork

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"holdfast/internal/gitwork/packfile"
)

// restoreObjects makes a git directory with the objects and nothing that refers to them yet.
func (r *restoration) restoreObjects(ctx context.Context) error {
	for _, dir := range []string{".git/objects/info", ".git/objects/pack", ".git/refs/heads", ".git/refs/tags"} {
		if err := r.top.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	if err := r.top.WriteFile(".git/HEAD", []byte("ref: refs/heads/main\n"), 0o644); err != nil {
		return err
	}
	if err := r.restoreConfig(ctx); err != nil {
		return err
	}
	shallow := admission{refuse: isForbidden, skip: func(name string) bool { return name != "shallow" }}
	if err := r.fill(ctx, "operation.tar.zst", ".git", shallow); err != nil {
		return err
	}
	if _, err := os.Lstat(r.file("objects.tar.zst")); err == nil {
		return r.fill(ctx, "objects.tar.zst", ".git/objects", admission{refuse: never, skip: never})
	}
	bundle := r.file("history.bundle")
	if _, err := os.Lstat(bundle); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return r.run(ctx, nil, nil, "bundle", "unbundle", bundle)
}

// admission says which names in an archive are evidence of something else than a capture, and which are passed over.
type admission struct{ refuse, skip func(name string) bool }

func never(string) bool { return false }

// fill unpacks an archive into a directory below the top.
func (r *restoration) fill(ctx context.Context, name, below string, admit admission) error {
	dir, err := r.top.OpenRoot(below)
	if err != nil {
		return err
	}
	defer dir.Close()
	to := place{dir}
	return readArchive(ctx, r.file(name), func(h *tar.Header, content io.Reader) error {
		if !filepath.IsLocal(h.Name) || admit.refuse(h.Name) {
			return badEvidence(r.file(name), "it has an entry %q", h.Name)
		}
		if admit.skip(h.Name) {
			return nil
		}
		if err := to.put(h, content); err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg {
			return nil
		}
		if err := dir.Chmod(h.Name, fs.FileMode(h.Mode)&0o777); err != nil {
			return err
		}
		return dir.Chtimes(h.Name, h.ModTime, h.ModTime)
	})
}

// isForbidden reports whether operation.tar.zst has no business with a name in a git directory: it would start programs
// or lead to another repository.
func isForbidden(name string) bool {
	top, _, _ := strings.Cut(strings.ToLower(name), "/")
	forbidden := slices.Concat(elsewhere, pointers, []string{"config", "config.worktree", "hooks", "index"})
	return slices.Contains(forbidden, top)
}

// restoreConfig installs the settings of config.safe that are on the list, whoever wrote that file.
func (r *restoration) restoreConfig(ctx context.Context) error {
	s := &shadow{repo: r.repo}
	var read sourceConfig
	if err := s.addConfig(ctx, &read, r.file("config.safe")); err != nil {
		return err
	}
	if read.fault != nil {
		return badEvidence(r.file("config.safe"), "%v", read.fault)
	}
	s.config, s.format = read, read.format()
	return r.top.WriteFile(".git/config", s.safeConfig(), 0o644)
}

// restoreAdmin gives the repository its references, logs, operation state and index, and with trust its hooks and
// configuration.
func (r *restoration) restoreAdmin(ctx context.Context) error {
	if err := r.top.Remove(".git/HEAD"); err != nil {
		return err
	}
	if err := r.fill(ctx, "operation.tar.zst", ".git", admission{refuse: isForbidden, skip: never}); err != nil {
		return err
	}
	indexes, err := filepath.Glob(filepath.Join(globQuote(r.from), "git", "sharedindex.*"))
	if err != nil {
		return err
	}
	for _, file := range append(indexes, r.file("index")) {
		if err := r.restoreIndex(file); err != nil {
			return err
		}
	}
	if !r.options.Trust {
		return nil
	}
	return r.restoreTrusted(ctx)
}

func (r *restoration) restoreIndex(file string) error {
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	name := ".git/" + filepath.Base(file)
	if err := (place{r.top}).file(name, f); err != nil {
		return err
	}
	return r.top.Chtimes(name, info.ModTime(), info.ModTime())
}

// restoreTrusted installs hooks and configuration as they were, but for where the working tree is.
func (r *restoration) restoreTrusted(ctx context.Context) error {
	if err := r.fill(ctx, "hooks.tar.zst", ".git", admission{refuse: isNoHook, skip: never}); err != nil {
		return err
	}
	b, err := os.ReadFile(r.file("config"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := r.top.WriteFile(".git/config", b, 0o644); err != nil {
		return err
	}
	if b, err := os.ReadFile(r.file("config.worktree")); err == nil {
		if err := r.top.WriteFile(".git/config.worktree", b, 0o644); err != nil {
			return err
		}
	}
	return r.detach(ctx)
}

func isNoHook(name string) bool { return name != "hooks" && !strings.HasPrefix(name, "hooks/") }

// detach takes out of a trusted configuration what makes it another repository's.
func (r *restoration) detach(ctx context.Context) error {
	for _, name := range []string{"config", "config.worktree"} {
		file := filepath.Join(r.dir, name)
		if _, err := os.Lstat(file); err != nil {
			continue
		}
		err := r.run(ctx, nil, nil, "config", "--file", file, "--unset-all", "core.worktree")
		if err != nil && exitCode(err) != 5 { // 5 is a key that is not set
			return err
		}
	}
	return r.run(ctx, nil, nil, "config", "--file", filepath.Join(r.dir, "config"), "core.bare", "false")
}

func (r *restoration) format() (packfile.Format, error) {
	b, err := r.top.ReadFile(".git/config")
	if bytes.Contains(b, []byte(packfile.SHA256.Name)) {
		return packfile.SHA256, err
	}
	return packfile.SHA1, err
}
