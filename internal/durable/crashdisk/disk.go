// Package crashdisk is a disk in memory that forgets what was not synced.
//
// # Vocabulary
//
// A [Disk] has two faces: what its users see now, and what would be there after a
// power failure. File.Sync carries the bytes of a file over, Dir.Sync the names of a
// directory. What was not synced is pending: a power failure keeps or loses each
// pending change of names by itself, which is worse than any journal does.
//
// # Guarantees
//
// A rename or an exchange within a directory is one change. A file whose bytes were
// never synced comes back empty, so code that renames before fsync is found out.
//
// # Non-guarantees
//
// It does not model a disk that lies about a sync, nor torn writes of synced files.
// An exchange between two directories counts as one change in each.
package crashdisk

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"holdfast/internal/durable"
)

// Disk is a disk with one root directory. It is for one goroutine.
type Disk struct {
	root *node
	last uint64 // inode number
}

// node is a file or a directory, now and as it is on the medium.
type node struct {
	id       uint64
	dir      bool
	mode     fs.FileMode
	data     []byte
	synced   []byte
	names    map[string]*node
	settled  map[string]*node
	pending  []change
	lockedBy *openDir
}

// change is what one call did to the names of a directory; nil removes.
type change map[string]*node

// New returns an empty disk.
func New() *Disk {
	d := &Disk{}
	d.root = d.node(true)
	return d
}

func (d *Disk) node(dir bool) *node {
	d.last++
	return &node{id: d.last, dir: dir, names: map[string]*node{}, settled: map[string]*node{}}
}

// Root opens the root directory.
func (d *Disk) Root() durable.Dir { return &openDir{d, d.root} }

// Read returns the bytes of a file as users see them now.
func (d *Disk) Read(name string) ([]byte, error) {
	n, err := d.find(d.root, name)
	if err != nil {
		return nil, err
	}
	return slices.Clone(n.data), nil
}

// Tree lists the names of every file and directory, in order.
func (d *Disk) Tree() []string {
	var all []string
	var walk func(at string, n *node)
	walk = func(at string, n *node) {
		for name, child := range n.names {
			all = append(all, path.Join(at, name))
			walk(path.Join(at, name), child)
		}
	}
	walk("", d.root)
	slices.Sort(all)
	return all
}

// Pending counts the changes of names that a power failure would decide about.
func (d *Disk) Pending() int {
	count := 0
	d.root.eachDir(func(n *node) { count += len(n.pending) })
	return count
}

// PowerFailure returns the disk as it comes back when the pending changes for which
// keep is true reached the medium, in order, and the others did not.
func (d *Disk) PowerFailure(keep func(change int) bool) *Disk {
	after := &Disk{last: d.last}
	nth := 0
	survived := map[*node]map[string]*node{}
	d.root.eachDir(func(n *node) {
		names := maps.Clone(n.settled)
		for _, c := range n.pending {
			if keep(nth) {
				c.apply(names)
			}
			nth++
		}
		survived[n] = names
	})
	after.root = rebuild(d.root, survived, map[*node]*node{})
	return after
}

// rebuild copies what survived of a tree; files keep their several names.
func rebuild(n *node, survived map[*node]map[string]*node, done map[*node]*node) *node {
	if fresh := done[n]; fresh != nil {
		return fresh
	}
	fresh := &node{id: n.id, dir: n.dir, mode: n.mode, data: n.synced, synced: n.synced}
	done[n] = fresh
	fresh.names = map[string]*node{}
	for name, child := range survived[n] {
		fresh.names[name] = rebuild(child, survived, done)
	}
	fresh.settled = maps.Clone(fresh.names)
	return fresh
}

// eachDir visits every directory that has a name now or on the medium, in an order
// that is always the same.
func (n *node) eachDir(visit func(*node)) {
	seen := map[*node]bool{}
	var walk func(*node)
	walk = func(n *node) {
		if !n.dir || seen[n] {
			return
		}
		seen[n] = true
		visit(n)
		for _, names := range append([]change{n.names, n.settled}, n.pending...) {
			for _, name := range slices.Sorted(maps.Keys(names)) {
				if child := names[name]; child != nil {
					walk(child)
				}
			}
		}
	}
	walk(n)
}

func (c change) apply(names map[string]*node) {
	for name, n := range c {
		if n == nil {
			delete(names, name)
		} else {
			names[name] = n
		}
	}
}

// now makes a change that users see at once and the medium may never see.
func (n *node) now(c change) {
	c.apply(n.names)
	n.pending = append(n.pending, c)
}

// find walks to name below n.
func (d *Disk) find(n *node, name string) (*node, error) {
	if name == "." {
		return n, nil
	}
	for _, element := range strings.Split(name, "/") {
		child := n.names[element]
		if child == nil {
			return nil, &fs.PathError{Op: "find", Path: name, Err: fs.ErrNotExist}
		}
		n = child
	}
	return n, nil
}
