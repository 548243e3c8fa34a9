package packfile

import (
	"crypto/sha1"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
)

// Format is how objects are named.
type Format struct {
	Name string // as git spells it
	Size int    // bytes of a name
	New  func() hash.Hash
}

// The formats.
var (
	SHA1   = Format{"sha1", sha1.Size, sha1.New}
	SHA256 = Format{"sha256", sha256.Size, sha256.New}
)

// ErrCorrupt is returned when a pack or an index is not what it should be.
var ErrCorrupt = errors.New("corrupt pack")

func corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrCorrupt}, args...)...)
}

// objectHash returns a hash that has taken in what git puts before an object's content.
func (f Format) objectHash(kind string, size int64) hash.Hash {
	h := f.New()
	fmt.Fprintf(h, "%s %d\x00", kind, size)
	return h
}

// BlobHash returns a hash whose sum, after size bytes of content, is the name of that blob.
func (f Format) BlobHash(size int64) hash.Hash { return f.objectHash("blob", size) }
