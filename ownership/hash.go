package ownership

import (
	"encoding/hex"
	"fmt"
	"hash"
	"slices"

	"lukechampine.com/blake3"
)

// HashSize is the size in bytes of every digest and revision.
const HashSize = 32

// Digest is the BLAKE3-256 hash of a session key's bytes.
type Digest [HashSize]byte

// Revision is the BLAKE3-256 hash of the exact bytes of a record. The zero value
// stands for "no record" and is the revision of no bytes at all.
type Revision [HashSize]byte

// chunkSize is how much of its input BLAKE3 hashes by itself.
const chunkSize = 1024

// RevisionOf returns the revision of a record's exact bytes; b3sum prints the same.
// What has several chunks is hashed one after the other: the library would start a
// goroutine or two for it, which take longer than a record does.
func RevisionOf(b []byte) (r Revision) {
	if len(b) <= chunkSize {
		return blake3.Sum256(b)
	}
	h := blake3.New(HashSize, nil)
	for chunk := range slices.Chunk(b, chunkSize) {
		h.Write(chunk)
	}
	h.Sum(r[:0])
	return r
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
