package zst

import (
	"encoding/binary"
	"io"

	"github.com/cespare/xxhash/v2"
)

// A plain stream, by the sections of RFC 8878.
const (
	// mark is a skippable frame (3.1.2) and comes first.
	mark = "\x5a\x2a\x4d\x18" + "\x28\x00\x00\x00" + "holdfast: what follows is not compressed"
	// frameHead is the magic number (3.1.1), a descriptor that promises a checksum and no size, and a window of 128 KiB.
	frameHead = "\x28\xb5\x2f\xfd" + "\x04" + "\x38"

	blockHead = 3 // bytes: whether it is the last, its type, its size (3.1.1.2)
	blockMost = 128 << 10
	blockLast = 1
	blockType = 3 << 1 // 0 is raw
	blockSize = 3      // bits before it

	checksumSize = 4 // the low bytes of an XXH64 of the content
)

// plainWriter writes a plain stream.
type plainWriter struct {
	to    io.Writer
	block []byte // with its head, which is set when it is written
	sum   *xxhash.Digest
}

func newPlainWriter(to io.Writer) (*plainWriter, error) {
	_, err := io.WriteString(to, mark+frameHead)
	return &plainWriter{to: to, block: make([]byte, blockHead, blockHead+blockMost), sum: xxhash.New()}, err
}

func (w *plainWriter) Write(p []byte) (n int, err error) {
	for n < len(p) {
		if len(w.block) == cap(w.block) {
			if err := w.flush(0); err != nil {
				return n, err
			}
		}
		more := p[n:min(len(p), n+cap(w.block)-len(w.block))]
		w.block = append(w.block, more...)
		n += len(more)
	}
	return n, nil
}

func (w *plainWriter) flush(last uint32) error {
	content := w.block[blockHead:]
	var head [4]byte
	binary.LittleEndian.PutUint32(head[:], uint32(len(content))<<blockSize|last)
	copy(w.block, head[:blockHead])
	w.sum.Write(content) // never fails
	_, err := w.to.Write(w.block)
	w.block = w.block[:blockHead]
	return err
}

func (w *plainWriter) Close() error {
	if err := w.flush(blockLast); err != nil {
		return err
	}
	_, err := w.to.Write(binary.LittleEndian.AppendUint32(nil, uint32(w.sum.Sum64())))
	return err
}

// GiveUp has nothing to end.
func (w *plainWriter) GiveUp() {}
