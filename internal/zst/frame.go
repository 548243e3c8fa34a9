package zst

import (
	"encoding/binary"
	"io"
	"strings"
)

// A compressed frame, by the sections of RFC 8878.
const (
	magic = "\x28\xb5\x2f\xfd" // 3.1.1

	// What its descriptor says (3.1.1.1.1).
	sizeFlag      = 6      // bits before it
	singleSegment = 1 << 5 // no window
	hasChecksum   = 1 << 2
	dictionary    = 3

	// Types of blocks (3.1.1.2.2).
	blockRLE      = 1
	blockReserved = 3
)

// frame is what a stream that is one frame with a checksum says of its content: so is all that the program writes.
type frame struct {
	sum  uint32
	most int64 // bytes that it can have
}

// frameOf goes through a stream from block to block and reads nothing in them.
func frameOf(f io.ReaderAt, size int64) (frame, bool) {
	head := make([]byte, len(magic)+1)
	if _, err := f.ReadAt(head, 0); err != nil || !strings.HasPrefix(string(head), magic) || head[len(magic)]&hasChecksum == 0 {
		return frame{}, false
	}
	at, blocks, ok := behindBlocks(f, int64(len(head))+restOfHead(head[len(magic)]))
	if !ok || at+checksumSize != size {
		return frame{}, false
	}
	end := make([]byte, checksumSize)
	_, err := f.ReadAt(end, at)
	return frame{binary.LittleEndian.Uint32(end), blocks * blockMost}, err == nil
}

// restOfHead is how many bytes of a frame's head follow the descriptor (3.1.1.1): window, dictionary, size of content.
func restOfHead(descriptor byte) int64 {
	size := []int64{0, 2, 4, 8}[descriptor>>sizeFlag]
	if descriptor&singleSegment == 0 {
		size++
	} else if size == 0 {
		size = 1
	}
	return size + []int64{0, 1, 2, 4}[descriptor&dictionary]
}

// behindBlocks returns where the last of the blocks ends that begin there, and how many they are.
func behindBlocks(f io.ReaderAt, at int64) (end, blocks int64, ok bool) {
	head := make([]byte, 4)
	for blocks = 1; ; blocks++ {
		if _, err := f.ReadAt(head[:blockHead], at); err != nil {
			return 0, 0, false
		}
		b := binary.LittleEndian.Uint32(head)
		at += blockHead
		switch b & blockType >> 1 {
		case blockReserved:
			return 0, 0, false
		case blockRLE:
			at++
		default:
			at += int64(b >> blockSize)
		}
		if b&blockLast != 0 {
			return at, blocks, true
		}
	}
}
