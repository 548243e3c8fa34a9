package gitwork

import (
	"crypto/sha256"
	"hash"
	"io"
	"os"
	"sync"

	"holdfast/internal/gitwork/packfile"
)

// sums are what a file was when it was read.
type sums struct {
	stamp  // before the read
	sha256 []byte
	blob   []byte // the name that git has for this content
	moved  bool   // it changed between the beginning of the read and its end
}

// hashFile reads a file, again if it moves meanwhile, and keeps the last read.
func hashFile(path string, f packfile.Format) (s sums, err error) {
	for range stableTries {
		if s, err = hashOnce(path, f); err != nil || !s.moved {
			break
		}
	}
	return s, err
}

func hashOnce(path string, format packfile.Format) (sums, error) {
	f, err := openSource(path)
	if err != nil {
		return sums{}, err
	}
	defer f.Close()
	before, err := fstat(f)
	if err != nil {
		return sums{}, err
	}
	plain, blob := sha256.New(), format.BlobHash(before.Size)
	if err := readInto(f, before.Size, plain, blob); err != nil {
		return sums{}, err
	}
	after, err := fstat(f)
	return sums{before, plain.Sum(nil), blob.Sum(nil), before != after}, err
}

// buffers are for reading: large enough that a system call costs nothing, few enough to be held.
var buffers = sync.Pool{New: func() any { return new([256 << 10]byte) }}

// readInto gives the first size bytes of f to every hash, or fewer if the file became shorter.
func readInto(f *os.File, size int64, into ...hash.Hash) error {
	b := buffers.Get().(*[256 << 10]byte)
	defer buffers.Put(b)
	left := io.LimitReader(f, size)
	for {
		n, err := left.Read(b[:])
		for _, h := range into {
			h.Write(b[:n])
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
