package ownership

import (
	"encoding/hex"
	"fmt"
	"hash"
	"math/bits"

	"lukechampine.com/blake3"
	"lukechampine.com/blake3/guts"
)

// HashSize is the size in bytes of every digest and revision.
const HashSize = 32

// Digest is the BLAKE3-256 hash of a session key's bytes.
type Digest [HashSize]byte

// Revision is the BLAKE3-256 hash of the exact bytes of a record. The zero value
// stands for "no record" and is the revision of no bytes at all.
type Revision [HashSize]byte

// RevisionOf returns the revision of a record's exact bytes; b3sum prints the same.
func RevisionOf(b []byte) Revision {
	if len(b) <= guts.ChunkSize || len(b) > fewChunks*guts.ChunkSize {
		return blake3.Sum256(b)
	}
	root := treeOf(b, 0)
	root.Flags |= guts.FlagRoot
	sum := guts.WordsToBytes(guts.CompressNode(root))
	return Revision(sum[:HashSize])
}

// fewChunks is up to how many chunks are hashed one after the other. The library starts a
// goroutine for every few, which takes longer than that, and has a hasher on the heap.
const fewChunks = 16

// treeOf returns the node above the chunks that b consists of, the first of which is the
// chunk of that number: to the left are as many as a power of two has, to the right the rest.
func treeOf(b []byte, number uint64) guts.Node {
	if len(b) <= guts.ChunkSize {
		return guts.CompressChunk(b, &guts.IV, number, 0)
	}
	left := 1 << (bits.Len(uint(len(b)-1)/guts.ChunkSize) - 1)
	l := treeOf(b[:left*guts.ChunkSize], number)
	r := treeOf(b[left*guts.ChunkSize:], number+uint64(left))
	return guts.ParentNode(guts.ChainingValue(l), guts.ChainingValue(r), &guts.IV, 0)
}

// NewRevisionHash returns a hash whose sum is the revision of what is written to
// it, for bytes that are too many to hold.
func NewRevisionHash() hash.Hash { return blake3.New(HashSize, nil) }

// String returns 64 lowercase hex digits.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// String returns 64 lowercase hex digits.
func (r Revision) String() string { return hex.EncodeToString(r[:]) }

// IsZero reports whether r stands for "no record".
func (r Revision) IsZero() bool { return r == Revision{} }

// MarshalText returns 64 lowercase hex digits.
func (d Digest) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// MarshalText returns 64 lowercase hex digits.
func (r Revision) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText accepts what MarshalText returns and nothing else.
func (d *Digest) UnmarshalText(b []byte) error { return parseHex(d[:], string(b)) }

// UnmarshalText accepts what MarshalText returns and nothing else.
func (r *Revision) UnmarshalText(b []byte) error { return parseHex(r[:], string(b)) }

// ParseDigest reads 64 lowercase hex digits.
func ParseDigest(s string) (d Digest, err error) {
	err = parseHex(d[:], s)
	return d, err
}

// ParseRevision reads 64 lowercase hex digits.
func ParseRevision(s string) (r Revision, err error) {
	err = parseHex(r[:], s)
	return r, err
}

// parseHex fills dst from exactly 2*len(dst) lowercase hex digits.
func parseHex(dst []byte, s string) error {
	if len(s) != 2*len(dst) || !isLowerHex(s) {
		return fmt.Errorf("want %d lowercase hex digits", 2*len(dst))
	}
	_, err := hex.Decode(dst, []byte(s))
	return err
}

func isLowerHex(s string) bool {
	for i := range len(s) {
		c := s[i]
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
