package powerloss

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"lukechampine.com/blake3"
)

// image is what is below a directory, parents first.
type image []entry

// entry is one name. Names with the same file number are of one file.
type entry struct {
	path string
	dir  bool
	file int
	data []byte
}

// sum is the same for images that no program can tell apart.
func (m image) sum() [32]byte {
	h := blake3.New(32, nil)
	first := map[int]int{}
	for i, e := range m {
		if _, known := first[e.file]; !known {
			first[e.file] = i
		}
		fmt.Fprintf(h, "%q %t %d %d ", e.path, e.dir, first[e.file], len(e.data))
		h.Write(e.data)
	}
	return [32]byte(h.Sum(nil))
}

// build makes an image real.
func (m image) build(top string) error {
	made := map[int]string{}
	for _, e := range m {
		path := filepath.Join(top, e.path)
		var err error
		switch first := made[e.file]; {
		case e.dir:
			err = os.Mkdir(path, 0o700)
		case first != "":
			err = os.Link(first, path)
		default:
			made[e.file] = path
			err = os.WriteFile(path, e.data, 0o600)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readImage reads what is below a directory.
func readImage(top string) (m image, err error) {
	err = filepath.WalkDir(top, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == top {
			return err
		}
		rel, err := filepath.Rel(top, path)
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		is := entry{path: rel, dir: e.IsDir(), file: int(info.Sys().(*syscall.Stat_t).Ino)}
		if !is.dir {
			is.data, err = os.ReadFile(path)
		}
		m = append(m, is)
		return err
	})
	slices.SortFunc(m, func(a, b entry) int { return cmp.Compare(a.path, b.path) })
	return m, err
}

// survivor decides what became of pending things: it returns a number below n.
type survivor func(n int) int

// after returns the image that decisions make of the disk.
func (d *disk) after(decide survivor) image {
	reached := d.changesReached(decide)
	names := map[*node]map[string]*node{}
	for _, n := range d.all {
		if !n.dir {
			continue
		}
		names[n] = maps.Clone(n.settled)
		for _, c := range n.changes {
			if reached(c) {
				apply(names[n], c.names)
			}
		}
	}
	data := map[*node][]byte{}
	for _, n := range d.all {
		if !n.dir {
			data[n] = n.dataAfter(d.model, decide)
		}
	}
	return collect(d.root, "", names, data, nil)
}

func collect(n *node, at string, names map[*node]map[string]*node, data map[*node][]byte, m image) image {
	for _, name := range slices.Sorted(maps.Keys(names[n])) {
		child, path := names[n][name], filepath.Join(at, name)
		m = append(m, entry{path: path, dir: child.dir, file: child.id, data: data[child]})
		if child.dir {
			m = collect(child, path, names, data, m)
		}
	}
	return m
}

// changesReached decides which pending changes of names reached the medium.
func (d *disk) changesReached(decide survivor) func(change) bool {
	if d.model == weak {
		return func(change) bool { return decide(2) == 1 }
	}
	numbers := map[int]bool{}
	for _, n := range d.all {
		for _, c := range n.changes {
			numbers[c.number] = true
		}
	}
	order := slices.Sorted(maps.Keys(numbers))
	reached := decide(len(order) + 1)
	return func(c change) bool {
		i, _ := slices.BinarySearch(order, c.number)
		return i < reached
	}
}

// dataAfter decides what became of pending writes.
func (n *node) dataAfter(m model, decide survivor) []byte {
	b := n.synced
	if len(n.writes) == 0 {
		return b
	}
	if m == ordered {
		if decide(2) == 1 {
			return n.data
		}
		return b
	}
	for _, w := range n.writes {
		switch decide(4) {
		case 1:
			b = w.onto(b)
		case 2:
			w.data = w.data[:len(w.data)/2]
			b = w.onto(b)
		case 3:
			w.data = make([]byte, len(w.data))
			b = w.onto(b)
		}
	}
	return b
}
