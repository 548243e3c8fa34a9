package packfile

import (
	"bytes"
	"encoding/binary"
	"slices"
	"sort"
)

const (
	indexMagic  = "\xfftOc\x00\x00\x00\x02"
	fanoutSize  = 256 * 4
	largeOffset = 1 << 31 // the rest of such an offset is a place in the table of 64-bit ones
)

// Index is what a version 2 pack index says. It is about 30 bytes an object.
type Index struct {
	format Format
	names  []byte  // sorted, format.Size each
	starts []int64 // by name
	order  []int32 // places in starts, by offset
}

// ParseIndex reads a version 2 index and its own checksum.
func ParseIndex(f Format, b []byte) (*Index, error) {
	if len(b) < len(indexMagic)+fanoutSize+2*f.Size || !bytes.HasPrefix(b, []byte(indexMagic)) {
		return nil, corrupt("not a version 2 index")
	}
	body := b[:len(b)-f.Size]
	h := f.New()
	h.Write(body)
	if !bytes.Equal(h.Sum(nil), b[len(body):]) {
		return nil, corrupt("index does not match its checksum")
	}
	tables := body[len(indexMagic):]
	n := int(binary.BigEndian.Uint32(tables[fanoutSize-4:]))
	tables = tables[fanoutSize : len(tables)-f.Size]
	if len(tables) < n*(f.Size+8) {
		return nil, corrupt("index is cut short")
	}
	x := &Index{format: f, names: tables[:n*f.Size]}
	return x, x.readOffsets(tables[n*(f.Size+4):], n)
}

// newIndex makes the index of a pack that was just written.
func newIndex(f Format, names [][]byte, starts []int64) *Index {
	byName := make([]int, len(names))
	for i := range byName {
		byName[i] = i
	}
	slices.SortFunc(byName, func(a, b int) int { return bytes.Compare(names[a], names[b]) })
	x := &Index{format: f, names: make([]byte, 0, len(names)*f.Size), starts: make([]int64, len(names)), order: make([]int32, len(names))}
	for place, i := range byName {
		x.names = append(x.names, names[i]...)
		x.starts[place], x.order[place] = starts[i], int32(place)
	}
	x.sortOrder()
	return x
}

func (x *Index) sortOrder() {
	slices.SortFunc(x.order, func(a, b int32) int { return compareOffsets(x.starts[a], x.starts[b]) })
}

func (x *Index) readOffsets(b []byte, n int) error {
	large := b[4*n:]
	x.starts, x.order = make([]int64, n), make([]int32, n)
	for i := range n {
		at := binary.BigEndian.Uint32(b[4*i:])
		x.starts[i], x.order[i] = int64(at), int32(i)
		if at < largeOffset {
			continue
		}
		place := 8 * int(at-largeOffset)
		if place+8 > len(large) {
			return corrupt("index has no 64-bit offset for object %d", i)
		}
		x.starts[i] = int64(binary.BigEndian.Uint64(large[place:]))
	}
	x.sortOrder()
	return nil
}

func compareOffsets(a, b int64) int {
	if a < b {
		return -1
	}
	if a > b {
		return 1
	}
	return 0
}

// Len returns how many objects the pack has.
func (x *Index) Len() int { return len(x.starts) }

// Has reports whether the pack has the object of that name.
func (x *Index) Has(name []byte) bool { return x.find(name) >= 0 }

func (x *Index) name(i int) []byte { return x.names[i*x.format.Size : (i+1)*x.format.Size] }

func (x *Index) find(name []byte) int {
	i := sort.Search(x.Len(), func(i int) bool { return bytes.Compare(x.name(i), name) >= 0 })
	if i < x.Len() && bytes.Equal(x.name(i), name) {
		return i
	}
	return -1
}

// at returns the place in order of the object that begins at offset, or -1.
func (x *Index) at(offset int64) int {
	place, found := slices.BinarySearchFunc(x.order, offset, func(i int32, at int64) int {
		return compareOffsets(x.starts[i], at)
	})
	if !found {
		return -1
	}
	return place
}
