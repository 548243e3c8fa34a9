package gitwork

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// entry is one name in a working tree.
type entry struct {
	path string // relative, "." for the top
	stamp
	uid     uint32
	links   uint64 // names that the file has
	nested  bool   // the top of another repository; nothing below it is in the list
	ignored bool
}

// walkTree lists the working tree below top in order, each directory before what is in it. It follows no link and
// opens nothing but directories. Repositories inside are listed and not entered.
func walkTree(ctx context.Context, top string) ([]entry, error) {
	st, err := lstat(top)
	if err != nil {
		return nil, unreadable(top, err)
	}
	w := treeWalk{ctx: ctx, top: top, entries: []entry{{path: ".", stamp: st}}}
	names, err := readNames(top)
	if err != nil {
		return nil, unreadable(top, err)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == ".git" })
	err = w.all("", names)
	return w.entries, err
}

type treeWalk struct {
	ctx     context.Context
	top     string
	entries []entry
}

func (w *treeWalk) all(dir string, names []string) error {
	slices.Sort(names)
	for _, name := range names {
		if err := context.Cause(w.ctx); err != nil {
			return err
		}
		if err := w.one(joinName(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

func (w *treeWalk) one(path string) error {
	full := filepath.Join(w.top, path)
	all, err := lstatAll(full)
	if isGone(err) {
		return nil // it went away after its directory was read; the look at the end tells
	}
	if err != nil {
		return unreadable(full, err)
	}
	e := entry{path: path, stamp: stampOf(&all), uid: all.Uid, links: uint64(all.Nlink)}
	if !e.isDir() {
		w.entries = append(w.entries, e)
		return nil
	}
	names, err := readNames(full)
	if err != nil && !isGone(err) {
		return unreadable(full, err)
	}
	if slices.Contains(names, ".git") {
		_, err := Locate(full)
		e.nested = !errors.Is(err, ErrNotRepository)
	}
	w.entries = append(w.entries, e)
	if e.nested {
		return nil
	}
	return w.all(path, names)
}

// markIgnored marks the entries that are in ignored or below one of its directories, which end in a slash there.
func markIgnored(entries []entry, ignored map[string]bool) {
	below := ""
	for i := range entries {
		e := &entries[i]
		switch {
		case below != "" && strings.HasPrefix(e.path, below):
			e.ignored = true
		case ignored[e.path+"/"] && e.isDir():
			e.ignored, below = true, e.path+"/"
		default:
			e.ignored = ignored[e.path]
		}
	}
}

// Moved names something in the source that changed while it was read.
type Moved struct {
	Path string `json:"path"`
	What string `json:"what"`
}

// difference says what changed between two lists of the same tree.
func difference(top string, before, after []entry) []Moved {
	was := make(map[string]stamp, len(before))
	for _, e := range before {
		was[e.path] = e.stamp
	}
	var moved []Moved
	for _, e := range after {
		old, known := was[e.path]
		delete(was, e.path)
		if what := changeOf(old, e.stamp, known); what != "" {
			moved = append(moved, Moved{filepath.Join(top, e.path), what})
		}
	}
	for path := range was {
		moved = append(moved, Moved{filepath.Join(top, path), "removed"})
	}
	return moved
}

func changeOf(old, now stamp, known bool) string {
	switch {
	case !known:
		return "new"
	case old == now:
		return ""
	case old.Ino != now.Ino || old.Dev != now.Dev || old.kind() != now.kind(): // an inode number may be given again
		return "replaced"
	case old.Size != now.Size || old.Mtime != now.Mtime:
		return "written"
	case old.Mode != now.Mode:
		return "mode changed"
	}
	return "touched"
}

func readLink(path string) (string, error) {
	target, err := os.Readlink(path)
	if err != nil {
		return "", unreadable(path, err)
	}
	return target, nil
}
