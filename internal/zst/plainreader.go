package zst

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/cespare/xxhash/v2"
)

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrDamaged}, args...)...)
}

// plainReader reads what follows the mark of a plain stream.
type plainReader struct {
	from  io.Reader
	begun bool
	left  int // of the block
	last  bool
	sum   *xxhash.Digest
	total int64 // bytes of content
	ended error
}

func newPlainReader(from io.Reader) *plainReader { return &plainReader{from: from, sum: xxhash.New()} }

func (r *plainReader) Read(p []byte) (n int, err error) {
	for r.left == 0 && r.ended == nil {
		r.ended = r.next()
	}
	if r.ended != nil || len(p) == 0 {
		return 0, r.ended
	}
	n, err = r.from.Read(p[:min(len(p), r.left)])
	r.sum.Write(p[:n]) // never fails
	r.total += int64(n)
	r.left -= n
	if err != nil && n == 0 {
		r.ended = cutShort(err)
	}
	return n, r.ended
}

// next goes on to the next block, or to the end.
func (r *plainReader) next() error {
	if !r.begun {
		r.begun = true
		if head, err := r.take(len(frameHead)); err != nil || string(head) != frameHead {
			return wrong(err, "it begins with another frame")
		}
	}
	if r.last {
		return r.finish()
	}
	head, err := r.take(blockHead)
	if err != nil {
		return err
	}
	b := binary.LittleEndian.Uint32(append(head, 0))
	r.last, r.left = b&blockLast != 0, int(b>>blockSize)
	return r.check(b & blockType >> 1)
}

// check refuses a block that is never written: all but the last are full, and that is empty only where it is all.
func (r *plainReader) check(kind uint32) error {
	switch {
	case kind != 0, r.left > blockMost, r.left < blockMost && !r.last, r.left == 0 && r.total > 0:
		return damaged("it has a block of type %d with %d bytes", kind, r.left)
	}
	return nil
}

// finish reads the checksum, behind which nothing may be.
func (r *plainReader) finish() error {
	sum, err := r.take(checksumSize)
	if err != nil || binary.LittleEndian.Uint32(sum) != uint32(r.sum.Sum64()) {
		return wrong(err, "its checksum is that of something else")
	}
	if _, err := io.ReadFull(r.from, make([]byte, 1)); err != nil {
		return err // io.EOF, or what the system says
	}
	return damaged("it goes on behind its end")
}

func (r *plainReader) take(n int) ([]byte, error) {
	b := make([]byte, n, n+1)
	_, err := io.ReadFull(r.from, b)
	return b, cutShort(err)
}

// cutShort tells the end of a file from what the system says.
func cutShort(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return damaged("it is cut short")
	}
	return err
}

// wrong returns err, or what is wrong where there is none.
func wrong(err error, what string) error {
	if err != nil {
		return err
	}
	return damaged("%s", what)
}

// Close has nothing to end.
func (r *plainReader) Close() error { return nil }
