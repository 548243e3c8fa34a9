package journal

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"os"
)

// What bbolt writes on its pages, in the byte order of the machine: see its
// internal/common/page.go. Its own check works on the mapping in a goroutine of its
// own, where a damaged page ends the process; this one reads.
const (
	headerBytes   = 16 // id, flags, count, overflow
	branchElement = 16 // position, key size, page
	leafElement   = 16 // flags, position, key size, value size
	isBranch      = 0x01
	isLeaf        = 0x02
	isFreelist    = 0x10
	isBucket      = 0x01 // flag of a leaf element
	manyFree      = 0xffff
	deepest       = 64
	largestNode   = 16 << 20 // bytes
)

// structure reads every page of the file that the meta pages lead to and accounts for
// every other one. The caller has the lock.
func structure(ctx context.Context, f *os.File) error {
	m, err := latestMeta(f)
	if err != nil {
		return err
	}
	w := &walker{ctx: ctx, f: f, meta: m, used: make([]bool, m.high)}
	if err := w.freelist(); err != nil {
		return err
	}
	if err := w.page(m.root, nil, 0); err != nil {
		return err
	}
	for id := uint64(2); id < m.high; id++ {
		if !w.used[id] {
			return damaged("page %d is neither in use nor free", id)
		}
	}
	return nil
}

// walker accounts for pages.
type walker struct {
	ctx  context.Context
	f    io.ReaderAt
	meta meta
	used []bool
}

func (w *walker) take(id uint64) error {
	if id < 2 || id >= w.meta.high {
		return damaged("page %d does not exist", id)
	}
	if w.used[id] {
		return damaged("page %d is in use twice", id)
	}
	w.used[id] = true
	return nil
}

// node is a page with those that continue it.
type node struct {
	id           uint64
	flags, count uint16
	body         []byte // behind the header
}

// load reads a page and takes all that it consists of.
func (w *walker) load(id uint64) (node, error) {
	if err := w.ctx.Err(); err != nil {
		return node{}, err
	}
	if id < 2 || id >= w.meta.high {
		return node{}, damaged("page %d does not exist", id)
	}
	size := uint64(w.meta.pageSize)
	var h [headerBytes]byte
	if _, err := w.f.ReadAt(h[:], int64(id*size)); err != nil {
		return node{}, err
	}
	e := binary.NativeEndian
	n := node{id: e.Uint64(h[0:]), flags: e.Uint16(h[8:]), count: e.Uint16(h[10:])}
	more := uint64(e.Uint32(h[12:]))
	if n.id != id || id+more >= w.meta.high || (more+1)*size > largestNode {
		return node{}, damaged("page %d has a header of something else", id)
	}
	for i := range more + 1 {
		if err := w.take(id + i); err != nil {
			return node{}, err
		}
	}
	n.body = make([]byte, (more+1)*size-headerBytes)
	_, err := w.f.ReadAt(n.body, int64(id*size)+headerBytes)
	return n, err
}

func (w *walker) freelist() error {
	n, err := w.load(w.meta.freelist)
	if err != nil {
		return err
	}
	count, ids := uint64(n.count), n.body
	if count == manyFree && len(ids) >= 8 {
		count, ids = binary.NativeEndian.Uint64(ids), ids[8:]
	}
	if n.flags != isFreelist || count > uint64(len(ids))/8 {
		return damaged("page %d is no list of free pages", n.id)
	}
	for i := range count {
		if err := w.take(binary.NativeEndian.Uint64(ids[8*i:])); err != nil {
			return err
		}
	}
	return nil
}

// page walks the tree below a page whose first key is at least least.
func (w *walker) page(id uint64, least []byte, depth int) error {
	n, err := w.load(id)
	switch {
	case err != nil:
		return err
	case depth > deepest:
		return damaged("its tree is too deep")
	case n.flags == isBranch:
		return w.branch(n, least, depth)
	case n.flags == isLeaf:
		return w.leaf(n, least, depth)
	}
	return damaged("page %d has flags %#x", id, n.flags)
}

func (w *walker) branch(n node, least []byte, depth int) error {
	for i := range int(n.count) {
		at := i * branchElement
		position, size, err := n.element(at, branchElement, 0)
		if err != nil {
			return err
		}
		key := n.body[position : position+size]
		if bytes.Compare(least, key) > 0 {
			return damaged("the keys of page %d are out of order", n.id)
		}
		child := binary.NativeEndian.Uint64(n.body[at+8:])
		if err := w.page(child, key, depth+1); err != nil {
			return err
		}
		least = key
	}
	return nil
}

func (w *walker) leaf(n node, least []byte, depth int) error {
	e := binary.NativeEndian
	for i := range int(n.count) {
		at := i * leafElement
		position, size, err := n.element(at, leafElement, 4)
		if err != nil {
			return err
		}
		key := n.body[position : position+size]
		value := position + size + uint64(e.Uint32(n.body[at+12:]))
		if bytes.Compare(least, key) > 0 || value > uint64(len(n.body)) {
			return damaged("the entries of page %d are out of order or place", n.id)
		}
		if e.Uint32(n.body[at:])&isBucket != 0 {
			if err := w.bucket(n.body[position+size:value], depth); err != nil {
				return err
			}
		}
		least = key
	}
	return nil
}

// element returns where in the body the key of an element is, and its size. Positions
// count from the element.
func (n node) element(at, size, offset int) (position, length uint64, err error) {
	if at+size > len(n.body) {
		return 0, 0, damaged("page %d has more entries than room", n.id)
	}
	e := binary.NativeEndian
	position = uint64(at) + uint64(e.Uint32(n.body[at+offset:]))
	length = uint64(e.Uint32(n.body[at+offset+4:]))
	if position+length > uint64(len(n.body)) {
		return 0, 0, damaged("an entry of page %d is out of place", n.id)
	}
	return position, length, nil
}

// bucket walks a bucket, which is small enough to have no page or has a root.
func (w *walker) bucket(value []byte, depth int) error {
	if len(value) < 16 {
		return damaged("it has a bucket without a root")
	}
	if root := binary.NativeEndian.Uint64(value); root != 0 {
		return w.page(root, nil, depth+1)
	}
	return nil
}
