package gitwork

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// nothingToWaitFor returns an error for an object store with something in it that git would open and then wait for
// ever, as for the other end of a FIFO. It opens nothing but directories.
func nothingToWaitFor(stores []string) error {
	for _, store := range stores {
		err := filepath.WalkDir(store, func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return nil // what may not be read is told of by who reads it
			}
			return waitsInStore(path, e.Type())
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func waitsInStore(path string, kind fs.FileMode) error {
	if kind&fs.ModeSymlink != 0 {
		info, err := os.Stat(path)
		if err != nil {
			return nil // it leads nowhere
		}
		kind = info.Mode().Type()
	}
	if kind.IsRegular() || kind.IsDir() {
		return nil
	}
	return unsupported(path, "it is no regular file, and git would wait for it for ever")
}

// readByGit are the files that git opens wherever it finds them in a working tree, whatever they are.
var readByGit = []string{".gitignore", ".gitattributes", ".gitmodules"}

// waitsFor returns the first entry that git would open and then wait for ever, or "".
func waitsFor(entries []entry) string {
	i := slices.IndexFunc(entries, func(e entry) bool {
		return !e.isRegular() && !e.isDir() && !e.isLink() && slices.Contains(readByGit, path.Base(e.path))
	})
	if i < 0 {
		return ""
	}
	return entries[i].path
}

// hideTree keeps git out of a working tree in which it would wait for ever: it sees an empty one.
func (c *capture) hideTree() {
	at := waitsFor(c.entries)
	if at == "" {
		return
	}
	c.hidden = true
	c.shadow.worktree = c.shadow.home
	c.note("git would wait for ever for %s, which is no regular file: nothing counts as ignored, and there is neither status.txt nor unstaged.patch", printable(at))
}

// waits returns an error for a working tree in which git would wait for ever.
func (c *counter) waits() error {
	if at := waitsFor(c.tree); at != "" {
		full := filepath.Join(c.source.Worktree, at)
		return &Error{Kind: ErrUnsupported, Path: full, Err: fmt.Errorf("it is no regular file, and git would wait for it for ever"),
			Next: "remove it if it is nobody's work; a snapshot keeps all the rest"}
	}
	return nil
}
