package packfile

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"hash/adler32"
	"io"
)

// heldLoose is up to how many bytes of content a loose object is made into an entry ahead of its turn, in memory. Larger
// ones are streamed.
const heldLoose = 1 << 20

// heldFile is up to how many bytes a file has that may hold such an object.
const heldFile = heldLoose + heldLoose/1024 + 1024

// holder makes entries of small loose objects, one after another.
type holder struct {
	file  bytes.Buffer
	src   bytes.Reader
	flate io.ReadCloser
}

// zlibHeader is two bytes: deflate, without a dictionary.
const zlibHeader = 2

// entry returns a small loose object as it stands in a pack, or nil for one that is to be streamed.
func (h *holder) entry(f Format, l Loose) ([]byte, error) {
	if small, err := h.load(l); err != nil || !small {
		return nil, err
	}
	var head [maxLooseHeader]byte
	n, err := io.ReadFull(h.flate, head[:])
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, corrupt("loose object %x: %v", l.Name, err)
	}
	kind, size, content := parseLoose(head[:n])
	if kind == 0 || int64(len(content)) > size {
		return nil, corrupt("loose object %x has no header", l.Name)
	}
	if size > heldLoose {
		return nil, nil
	}
	e := startEntry(kind, size)
	e.add(content)
	if err := e.fill(h.flate, size-int64(len(content))); err != nil {
		return nil, corrupt("loose object %x: %v", l.Name, err)
	}
	sum := f.objectHash(typeNames[kind], size)
	e.hash(sum)
	if !bytes.Equal(sum.Sum(nil), l.Name) {
		return nil, corrupt("loose object %x is not what its name says", l.Name)
	}
	return e.finish(), nil
}

// load reads a file and begins to inflate it, unless it is large.
func (h *holder) load(l Loose) (small bool, err error) {
	file, err := l.Open()
	if err != nil {
		return false, err
	}
	h.file.Reset()
	_, err = h.file.ReadFrom(io.LimitReader(file, heldFile+1))
	if err = errors.Join(err, file.Close()); err != nil || h.file.Len() > heldFile {
		return false, err
	}
	if h.file.Len() < zlibHeader {
		return false, corrupt("loose object %x is cut short", l.Name)
	}
	h.src.Reset(h.file.Bytes()[zlibHeader:])
	if h.flate == nil {
		h.flate = flate.NewReader(&h.src)
		return true, nil
	}
	return true, h.flate.(flate.Resetter).Reset(&h.src, nil)
}

// storedBlock is how many bytes a deflate block has at most that is not compressed.
const storedBlock = 65535

// stored is an entry of a pack whose content is stored in blocks, and not compressed.
type stored struct {
	b    []byte
	left int64 // bytes of content to come
	room int   // bytes of them in the block that was begun
	sum  uint32
	runs [][2]int // where content stands in b
}

func startEntry(kind int, size int64) *stored {
	blocks := size/storedBlock + 1
	e := &stored{b: make([]byte, 0, size+5*blocks+32), left: size, sum: 1}
	e.b = append(append(e.b, entryHeader(kind, size)...), 0x78, 0x01)
	e.block()
	return e
}

// block begins the next block: whether it is the last, how long it is, and that again inverted.
func (e *stored) block() {
	e.room = int(min(e.left, storedBlock))
	last := byte(0)
	if e.left <= storedBlock {
		last = 1
	}
	e.b = append(e.b, last)
	e.b = binary.LittleEndian.AppendUint16(e.b, uint16(e.room))
	e.b = binary.LittleEndian.AppendUint16(e.b, ^uint16(e.room))
	e.runs = append(e.runs, [2]int{len(e.b), len(e.b)})
}

func (e *stored) add(content []byte) {
	e.b = append(e.b, content...)
	e.added(len(content))
}

func (e *stored) added(n int) {
	e.left, e.room = e.left-int64(n), e.room-n
	e.runs[len(e.runs)-1][1] += n
	if e.room == 0 && e.left > 0 {
		e.block()
	}
}

// fill takes exactly n bytes from r, which must end there.
func (e *stored) fill(r io.Reader, n int64) error {
	for n > 0 {
		part := int(min(n, int64(e.room)))
		at := len(e.b)
		e.b = e.b[:at+part]
		if _, err := io.ReadFull(r, e.b[at:]); err != nil {
			return err
		}
		n -= int64(part)
		e.added(part)
	}
	var more [1]byte
	if k, err := r.Read(more[:]); k != 0 || !errors.Is(err, io.EOF) {
		return corrupt("it inflates to more than its header says")
	}
	return nil
}

func (e *stored) hash(h io.Writer) {
	sum := adler32.New()
	for _, run := range e.runs {
		h.Write(e.b[run[0]:run[1]])
		sum.Write(e.b[run[0]:run[1]])
	}
	e.sum = sum.Sum32()
}

func (e *stored) finish() []byte { return binary.BigEndian.AppendUint32(e.b, e.sum) }
