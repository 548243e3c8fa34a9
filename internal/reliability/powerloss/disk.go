package powerloss

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// node is a file or a directory: as it was when everything was last durable, with what
// is pending since, and as users see it.
type node struct {
	id      int
	dir     bool
	names   map[string]*node
	settled map[string]*node
	changes []change
	data    []byte
	synced  []byte
	writes  []write
}

// change is what one call did to the names of a directory; nil removes. Changes of one
// call have one number.
type change struct {
	number int
	names  map[string]*node
}

// write is bytes at an offset, or a new length.
type write struct {
	at   int64
	data []byte
	cut  bool
}

// disk is what is below one directory.
type disk struct {
	model  model
	top    string
	root   *node
	open   map[int]*handle
	last   int // of the nodes
	number int // of the changes
	all    []*node
}

// handle is an open file.
type handle struct {
	node *node
	at   int64
}

// model says what is durable after which call.
type model int

const (
	weak model = iota
	ordered
)

func (m model) String() string {
	if m == weak {
		return "weak"
	}
	return "ordered"
}

// newDisk returns a disk on which everything of an image is durable.
func newDisk(m model, top string, start image) *disk {
	d := &disk{model: m, top: top, open: map[int]*handle{}}
	d.root = d.node(true)
	files := map[int]*node{}
	for _, e := range start {
		n := files[e.file]
		if n == nil || e.dir {
			n = d.node(e.dir)
			n.data, n.synced = e.data, e.data
		}
		if !e.dir {
			files[e.file] = n
		}
		parent := d.find(filepath.Join(top, filepath.Dir(e.path)))
		parent.names[filepath.Base(e.path)] = n
		parent.settled[filepath.Base(e.path)] = n
	}
	return d
}

func (d *disk) node(dir bool) *node {
	d.last++
	n := &node{id: d.last, dir: dir, names: map[string]*node{}, settled: map[string]*node{}}
	d.all = append(d.all, n)
	return n
}

// find returns what a path stands for, or nil.
func (d *disk) find(path string) *node {
	rel, err := filepath.Rel(d.top, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		return nil
	}
	n := d.root
	for _, name := range strings.Split(rel, "/") {
		if name == "." {
			continue
		}
		if n = n.names[name]; n == nil {
			return nil
		}
	}
	return n
}

// rename makes changes of names in one call. Each is a path and what it stands for then.
func (d *disk) rename(changes ...naming) {
	d.number++
	byParent := map[*node]map[string]*node{}
	for _, c := range changes {
		parent := d.find(filepath.Dir(c.path))
		if parent == nil {
			continue
		}
		if byParent[parent] == nil {
			byParent[parent] = map[string]*node{}
		}
		byParent[parent][filepath.Base(c.path)] = c.node
	}
	for parent, names := range byParent {
		apply(parent.names, names)
		parent.changes = append(parent.changes, change{d.number, names})
	}
}

// naming gives a path to a node, or takes it away.
type naming struct {
	path string
	node *node
}

func apply(to, names map[string]*node) {
	for name, n := range names {
		if n == nil {
			delete(to, name)
		} else {
			to[name] = n
		}
	}
}

func (n *node) write(w write) {
	n.writes = append(n.writes, w)
	n.data = w.onto(n.data)
}

func (w write) onto(b []byte) []byte {
	b = slices.Clone(b)
	if w.cut {
		if int64(len(b)) > w.at {
			return b[:w.at]
		}
		return append(b, make([]byte, w.at-int64(len(b)))...)
	}
	if end := w.at + int64(len(w.data)); int64(len(b)) < end {
		b = append(b, make([]byte, end-int64(len(b)))...)
	}
	copy(b[w.at:], w.data)
	return b
}

// sync makes durable what the model says.
func (d *disk) sync(n *node) {
	n.synced, n.writes = n.data, nil
	for _, each := range d.all {
		if each == n || d.model == ordered {
			each.settled, each.changes = maps.Clone(each.names), nil
		}
	}
}
