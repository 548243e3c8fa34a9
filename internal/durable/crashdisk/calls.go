package crashdisk

import (
	"io/fs"
	"maps"
	"path"
	"slices"

	"holdfast/internal/durable"
)

// openDir is one descriptor of a directory.
type openDir struct {
	disk *Disk
	node *node
}

func (o *openDir) split(name string) (parent *node, base string, err error) {
	parent, err = o.disk.find(o.node, path.Dir(name))
	return parent, path.Base(name), err
}

// add gives n a name that must be free.
func (o *openDir) add(op, name string, n *node) error {
	parent, base, err := o.split(name)
	if err != nil {
		return err
	}
	if parent.names[base] != nil {
		return &fs.PathError{Op: op, Path: name, Err: fs.ErrExist}
	}
	parent.now(change{base: n})
	return nil
}

func (o *openDir) Create(name string) (durable.File, error) {
	n := o.disk.node(false)
	if err := o.add("create", name, n); err != nil {
		return nil, err
	}
	return &openFile{n}, nil
}

func (o *openDir) Mkdir(name string) error { return o.add("mkdir", name, o.disk.node(true)) }

func (o *openDir) OpenDir(name string) (durable.Dir, error) {
	n, err := o.disk.find(o.node, name)
	if err != nil {
		return nil, err
	}
	if !n.dir {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	return &openDir{o.disk, n}, nil
}

func (o *openDir) Names() ([]string, error) {
	return slices.Sorted(maps.Keys(o.node.names)), nil
}

func (o *openDir) Lstat(name string) (durable.Entry, error) {
	n, err := o.disk.find(o.node, name)
	if err != nil {
		return durable.Entry{}, err
	}
	return n.entry(), nil
}

func (o *openDir) Link(from, to string) error {
	n, err := o.disk.find(o.node, from)
	if err != nil {
		return err
	}
	return o.add("link", to, n)
}

func (o *openDir) Rename(from, to string) error {
	n, err := o.disk.find(o.node, from)
	if err != nil {
		return err
	}
	source, was, err := o.split(from)
	if err != nil {
		return err
	}
	target, is, err := o.split(to)
	switch {
	case err != nil:
		return err
	case target.names[is] == n:
		return nil // two names of one file: both stay
	case source == target:
		target.now(change{was: nil, is: n})
	default:
		target.now(change{is: n})
		source.now(change{was: nil})
	}
	return nil
}

func (o *openDir) Exchange(a, b string) error {
	nodeA, errA := o.disk.find(o.node, a)
	nodeB, errB := o.disk.find(o.node, b)
	if errA != nil || errB != nil {
		return &fs.PathError{Op: "exchange", Path: a, Err: fs.ErrNotExist}
	}
	parentA, baseA, _ := o.split(a)
	parentB, baseB, _ := o.split(b)
	if parentA == parentB {
		parentA.now(change{baseA: nodeB, baseB: nodeA})
		return nil
	}
	parentA.now(change{baseA: nodeB})
	parentB.now(change{baseB: nodeA})
	return nil
}

func (o *openDir) Remove(name string) error {
	if _, err := o.disk.find(o.node, name); err != nil {
		return err
	}
	parent, base, err := o.split(name)
	if err != nil {
		return err
	}
	parent.now(change{base: nil})
	return nil
}

func (o *openDir) Chmod(name string, m fs.FileMode) error {
	n, err := o.disk.find(o.node, name)
	if err == nil {
		n.mode = m
	}
	return err
}

func (o *openDir) Sync() error {
	o.node.settled, o.node.pending = maps.Clone(o.node.names), nil
	return nil
}

func (o *openDir) TryLock() (bool, error) {
	if holder := o.node.lockedBy; holder != nil && holder != o {
		return false, nil
	}
	o.node.lockedBy = o
	return true, nil
}

func (o *openDir) Unlock() error {
	if o.node.lockedBy == o {
		o.node.lockedBy = nil
	}
	return nil
}

func (o *openDir) Close() error { return o.Unlock() }

func (n *node) entry() durable.Entry {
	mode := n.mode
	if n.dir {
		mode |= fs.ModeDir
	}
	return durable.Entry{ID: durable.ID{Inode: n.id}, Mode: mode}
}

// openFile is a file being written.
type openFile struct{ node *node }

func (f *openFile) Write(b []byte) (int, error) {
	f.node.data = append(slices.Clip(f.node.data), b...)
	return len(b), nil
}

func (f *openFile) Chmod(m fs.FileMode) error    { f.node.mode = m; return nil }
func (f *openFile) Stat() (durable.Entry, error) { return f.node.entry(), nil }
func (f *openFile) Sync() error                  { f.node.synced = slices.Clone(f.node.data); return nil }
func (f *openFile) Close() error                 { return nil }
