package dirstore

import (
	"context"
	"errors"
	"hash"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"holdfast/ownership"
)

const hashBlock = 1 << 20

// hashFile returns the revision of all the bytes of a file that is too large to be a
// record. Holes are hashed without being read: anybody can make a file of a terabyte
// that has nothing in it.
func hashFile(ctx context.Context, f *os.File) (r ownership.Revision, err error) {
	info, err := f.Stat()
	if err != nil {
		return r, err
	}
	h := ownership.NewRevisionHash()
	for at, size := int64(0), info.Size(); at < size; {
		data, hole := extent(f, at, size)
		if err := writeZeros(ctx, h, data-at); err != nil {
			return r, err
		}
		if _, err := f.Seek(data, io.SeekStart); err != nil {
			return r, err
		}
		if err := copyBlocks(ctx, h, io.LimitReader(f, hole-data)); err != nil {
			return r, err
		}
		at = hole
	}
	copy(r[:], h.Sum(nil))
	return r, nil
}

// extent returns where the next bytes that are not a hole begin and end. Where that
// cannot be told, everything is.
func extent(f *os.File, at, size int64) (data, hole int64) {
	data, err := f.Seek(at, unix.SEEK_DATA)
	if errors.Is(err, unix.ENXIO) {
		return size, size
	}
	if err != nil || data > size {
		return at, size
	}
	hole, err = f.Seek(data, unix.SEEK_HOLE)
	if err != nil || hole > size {
		return data, size
	}
	return data, hole
}

func writeZeros(ctx context.Context, h hash.Hash, n int64) error {
	zeros := make([]byte, min(n, hashBlock))
	for ; n > 0; n -= hashBlock {
		if err := ctx.Err(); err != nil {
			return err
		}
		h.Write(zeros[:min(n, hashBlock)])
	}
	return nil
}

func copyBlocks(ctx context.Context, h hash.Hash, from io.Reader) error {
	block := make([]byte, hashBlock)
	for {
		n, err := io.ReadFull(from, block)
		h.Write(block[:n])
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return ctx.Err()
		}
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
	}
}
