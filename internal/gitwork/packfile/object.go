package packfile

import (
	"bufio"
	"compress/zlib"
	"io"
)

// The types of a packed object.
const (
	typeCommit   = 1
	typeTree     = 2
	typeBlob     = 3
	typeTag      = 4
	typeOfsDelta = 6
	typeRefDelta = 7
)

var typeNames = [8]string{typeCommit: "commit", typeTree: "tree", typeBlob: "blob", typeTag: "tag"}

// header is what stands before an object's compressed bytes.
type header struct {
	kind int
	size int64 // inflated; of a delta, the size of the delta
	base int64 // offset of a delta's base, relative to the pack
}

func (h header) isDelta() bool { return h.kind == typeOfsDelta || h.kind == typeRefDelta }

// readHeader reads the header of the object that begins at offset.
func (x *Index) readHeader(r *bufio.Reader, offset int64) (header, error) {
	c, err := r.ReadByte()
	if err != nil {
		return header{}, corrupt("object at %d: %v", offset, err)
	}
	h := header{kind: int(c>>4) & 7, size: int64(c & 15)}
	for shift := 4; c&0x80 != 0; shift += 7 {
		if c, err = r.ReadByte(); err != nil || shift > 56 {
			return header{}, corrupt("object at %d has a bad size", offset)
		}
		h.size |= int64(c&0x7f) << shift
	}
	switch {
	case h.kind == typeOfsDelta:
		h.base, err = readBaseOffset(r, offset)
	case h.kind == typeRefDelta:
		h.base, err = x.readBaseName(r, offset)
	case typeNames[h.kind] == "":
		err = corrupt("object at %d has the unknown type %d", offset, h.kind)
	}
	return h, err
}

func readBaseOffset(r *bufio.Reader, offset int64) (int64, error) {
	c, err := r.ReadByte()
	back := int64(c & 0x7f)
	for err == nil && c&0x80 != 0 && back < offset {
		c, err = r.ReadByte()
		back = (back+1)<<7 | int64(c&0x7f)
	}
	if err != nil || back <= 0 || back >= offset {
		return 0, corrupt("object at %d has a bad base", offset)
	}
	return offset - back, nil
}

func (x *Index) readBaseName(r *bufio.Reader, offset int64) (int64, error) {
	name := make([]byte, x.format.Size)
	if _, err := io.ReadFull(r, name); err != nil {
		return 0, corrupt("object at %d has a bad base: %v", offset, err)
	}
	i := x.find(name)
	if i < 0 {
		return 0, corrupt("object at %d is a delta against %x, which is not in the pack", offset, name)
	}
	return x.starts[i], nil
}

// inflater reads compressed objects, one after another.
type inflater struct {
	src  *bufio.Reader
	zlib io.ReadCloser
	copy []byte
}

const (
	readAhead  = 128 << 10
	copyBuffer = 64 << 10
)

// newInflater returns an inflater for a pack of that many bytes.
func newInflater(size int64) *inflater {
	return &inflater{src: bufio.NewReaderSize(nil, int(min(readAhead, size))), copy: make([]byte, min(copyBuffer, 16*size))}
}

// open begins to inflate what follows in src.
func (f *inflater) open() (err error) {
	if f.zlib == nil {
		f.zlib, err = zlib.NewReader(f.src)
		return err
	}
	return f.zlib.(zlib.Resetter).Reset(f.src, nil)
}

// into inflates exactly size bytes into w.
func (f *inflater) into(w io.Writer, size int64) error {
	if err := f.open(); err != nil {
		return err
	}
	n, err := io.CopyBuffer(onlyWriter{w}, f.zlib, f.copy)
	if err == nil && n != size {
		err = corrupt("inflates to %d bytes, not to %d", n, size)
	}
	return err
}

// bytes inflates exactly size bytes.
func (f *inflater) bytes(size int64) ([]byte, error) {
	if err := f.open(); err != nil {
		return nil, err
	}
	b := make([]byte, size)
	if _, err := io.ReadFull(f.zlib, b); err != nil {
		return nil, err
	}
	if n, err := f.zlib.Read(f.copy[:1]); n != 0 || err != io.EOF {
		return nil, corrupt("inflates to more than %d bytes, or badly: %v", size, err)
	}
	return b, nil
}

// onlyWriter hides ReadFrom, so that the buffer given is the one that is used.
type onlyWriter struct{ io.Writer }
