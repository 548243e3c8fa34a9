package packfile

import (
	"bytes"
	"compress/zlib"
	"errors"
	"fmt"
	"hash"
	"io"
	"strconv"
)

// maxLooseHeader is more than any header of a loose object has.
const maxLooseHeader = 64

// loose is a loose object that is being read: its header is behind, its content next.
type loose struct {
	file io.ReadCloser
	kind int
	size int64
	sum  hash.Hash // has taken in the header
}

// openLoose reads the header of a loose object.
func (f *inflater) openLoose(format Format, open func() (io.ReadCloser, error)) (*loose, error) {
	file, err := open()
	if err != nil {
		return nil, err
	}
	f.src.Reset(file)
	l := &loose{file: file}
	if err = f.open(); err == nil {
		err = l.readHeader(f.zlib)
	}
	if err != nil || l.kind == 0 {
		return nil, errors.Join(corrupt("a loose object has no header: %v", err), file.Close())
	}
	l.sum = format.objectHash(typeNames[l.kind], l.size)
	return l, nil
}

// readHeader reads byte by byte, so that nothing of the content is taken.
func (l *loose) readHeader(r io.Reader) error {
	var b [maxLooseHeader]byte
	for n := range b {
		if _, err := io.ReadFull(r, b[n:n+1]); err != nil {
			return err
		}
		if b[n] == 0 {
			l.kind, l.size, _ = parseLoose(b[:n+1])
			return nil
		}
	}
	return nil
}

// parseLoose reads the header of a loose object and returns what follows it; the kind is 0 where there is none.
func parseLoose(b []byte) (kind int, size int64, rest []byte) {
	head, rest, found := bytes.Cut(b, []byte{0})
	word, digits, _ := bytes.Cut(head, []byte(" "))
	size, err := strconv.ParseInt(string(digits), 10, 64)
	if !found || err != nil || size < 0 {
		return 0, 0, nil
	}
	return typeNamed(string(word)), size, rest
}

func typeNamed(word string) int {
	for kind, name := range typeNames {
		if name != "" && name == word {
			return kind
		}
	}
	return 0
}

// entry writes the object as it stands in a pack, stored and not compressed: its name must be what its content says.
func (l *loose) entry(w io.Writer, f *inflater, stored *zlib.Writer, name []byte) error {
	if _, err := w.Write(entryHeader(l.kind, l.size)); err != nil {
		return err
	}
	stored.Reset(w)
	n, err := io.CopyBuffer(onlyWriter{io.MultiWriter(l.sum, stored)}, f.zlib, f.copy)
	if err = errors.Join(err, stored.Close()); err != nil {
		return fmt.Errorf("loose object %x: %w", name, err)
	}
	if n != l.size || !bytes.Equal(l.sum.Sum(nil), name) {
		return corrupt("loose object %x is not what its name says", name)
	}
	return nil
}

// entryHeader is the type and the inflated size, which come first in an entry.
func entryHeader(kind int, size int64) []byte {
	b := []byte{byte(kind<<4) | byte(size&15)}
	for size >>= 4; size > 0; size >>= 7 {
		b[len(b)-1] |= 0x80
		b = append(b, byte(size&0x7f))
	}
	return b
}
