package gitwork

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"holdfast/internal/zst"
)

func compare(a, b string) int { return cmp.Compare(a, b) }

func (c *capture) note(format string, args ...any) {
	c.result.Notes = append(c.result.Notes, fmt.Sprintf(format, args...))
}

// keepAdmin writes the git directory down as it was copied, before any git has worked in the copy.
func (c *capture) keepAdmin(ctx context.Context) error {
	for _, keep := range []func() error{
		func() error { return c.out.copyIfThere("git/config", c.asideConfig()) },
		func() error { return c.out.copyIfThere("git/config.worktree", c.asideWorktreeConfig()) },
		func() error { return c.out.write("git/config.safe", c.safeConfig()) },
		c.keepIndexes,
		func() error { return c.archiveAdmin(ctx, "git/hooks.tar.zst", isHook) },
		func() error { return c.archiveAdmin(ctx, "git/operation.tar.zst", isOperation) },
	} {
		if err := keep(); err != nil {
			return err
		}
	}
	return nil
}

func isHook(f adminFile) bool { return f.name == "hooks" || strings.HasPrefix(f.name, "hooks/") }

func isIndex(name string) bool { return name == "index" || strings.HasPrefix(name, "sharedindex.") }

func isOperation(f adminFile) bool {
	return !isHook(f) && !isIndex(f.name) && f.name != "config" && f.name != "config.worktree"
}

func (c *capture) keepIndexes() error {
	for _, f := range c.shadow.admin {
		if f.isRegular() && isIndex(f.name) {
			if err := c.out.copyIfThere("git/"+f.name, c.place(f.name)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *capture) archiveAdmin(ctx context.Context, name string, which func(adminFile) bool) error {
	files := slices.DeleteFunc(slices.Clone(c.shadow.admin), func(f adminFile) bool { return !which(f) })
	if len(files) == 0 {
		return nil
	}
	a, err := c.archive(ctx, name, zst.LevelDefault, func(int64) {})
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := c.archiveOne(a, f); err != nil {
			return a.finish(err)
		}
	}
	return a.finish(nil)
}

func (c *capture) archiveOne(a *archive, f adminFile) error {
	from := c.place(f.name)
	if from == "" {
		from = f.source // large, or never to be found by git: there is no copy
	}
	switch {
	case f.isDir():
		return a.addDirectory(f.name, f.stamp)
	case f.isLink():
		target, err := os.Readlink(f.source)
		if err != nil {
			return c.vanished(f.source, err)
		}
		return a.addLink(f.name, target, f.stamp)
	}
	k, err := a.addFile(f.name, from, &f.stamp)
	if k.moved {
		c.changed[f.source] = "was written to while it was read"
	}
	return c.vanished(f.source, err)
}

// vanished notes what is there no more as it was, and says of what may not be read how to go on.
func (c *capture) vanished(path string, err error) error {
	switch {
	case isGone(err):
		c.changed[path] = "went away or was replaced while it was read"
		return nil
	case errors.Is(err, fs.ErrPermission):
		return unreadable(path, err)
	}
	return err
}

// isGone reports whether opening or reading failed because something else is there now, or nothing: a link where a
// file was, a file where its directory was, a directory, a socket.
func isGone(err error) bool {
	for _, gone := range []error{fs.ErrNotExist, unix.ELOOP, unix.ENOTDIR, unix.EISDIR, unix.ENXIO, unix.EINVAL} {
		if errors.Is(err, gone) {
			return true
		}
	}
	return false
}

// otherWorktrees returns the files of other worktrees of this repository that name commits nothing else may name.
func (c *capture) otherWorktrees() []string {
	files := []string{}
	if c.source.Linked() {
		files = append(files, filepath.Join(c.source.CommonDir, "HEAD"), filepath.Join(c.source.CommonDir, "logs", "HEAD"))
	}
	dir := filepath.Join(c.source.CommonDir, "worktrees")
	names, err := readNames(dir)
	if err != nil {
		return files // there are none, or they are not ours to read
	}
	slices.Sort(names)
	for _, name := range names {
		if own := filepath.Join(dir, name); own != c.source.GitDir {
			files = append(files, filepath.Join(own, "HEAD"), filepath.Join(own, "logs", "HEAD"))
		}
	}
	return files
}
