package journal

import (
	"encoding/binary"
	"errors"
	"hash/fnv"
	"io"
	"os"
)

// What bbolt writes at the beginning of each of its two meta pages, in the byte order
// of the machine: see its internal/common/meta.go.
const (
	metaOffset   = 16 // behind the header of the page
	metaSize     = 64
	metaMagic    = 0xED0CDAED
	metaVersion  = 2
	mostPages    = 1 << 36
	smallestPage = 1 << 10
	largestPage  = 1 << 24
)

// meta is what a meta page says of the whole file.
type meta struct {
	pageSize             uint32
	root, freelist, high uint64 // pages; high is the first that is not in use
	transaction          uint64
}

// plausible looks at the size and the meta pages before anything is mapped: a page
// beyond the end of the file would end the process that touches it. The caller has
// the lock.
func plausible(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	m, err := latestMeta(f)
	if err != nil {
		return err
	}
	need := m.high * uint64(m.pageSize)
	switch {
	case m.root >= m.high || m.freelist >= m.high:
		// A file without a list of free pages is none of ours, and bbolt would look for
		// them where a fault cannot be caught.
		return damaged("its meta pages name pages that it does not have")
	case m.high > mostPages || uint64(info.Size()) < need:
		return damaged("it is cut off: it has %d bytes of %d", info.Size(), need)
	}
	return nil
}

// latestMeta returns the valid meta page of the later transaction. The second page is
// found by trying every page size, as bbolt does.
func latestMeta(f *os.File) (meta, error) {
	best, ok, err := metaAt(f, 0)
	if err != nil {
		return meta{}, err
	}
	for at := int64(smallestPage); at <= largestPage; at <<= 1 {
		m, valid, err := metaAt(f, at)
		if err != nil {
			return meta{}, err
		}
		if valid && int64(m.pageSize) == at && (!ok || m.transaction > best.transaction) {
			best, ok = m, true
		}
	}
	if !ok {
		return meta{}, damaged("it has no meta page: it is not an archive, or its beginning is overwritten")
	}
	return best, nil
}

// metaAt reads the meta page at an offset, and reports whether it is one.
func metaAt(f *os.File, at int64) (m meta, ok bool, err error) {
	var b [metaSize]byte
	if _, err := f.ReadAt(b[:], at+metaOffset); err != nil {
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return meta{}, false, err
	}
	n := binary.NativeEndian
	if n.Uint32(b[0:]) != metaMagic || n.Uint32(b[4:]) != metaVersion {
		return meta{}, false, nil
	}
	sum := fnv.New64a()
	sum.Write(b[:metaSize-8])
	if sum.Sum64() != n.Uint64(b[metaSize-8:]) {
		return meta{}, false, nil
	}
	m = meta{n.Uint32(b[8:]), n.Uint64(b[16:]), n.Uint64(b[32:]), n.Uint64(b[40:]), n.Uint64(b[48:])}
	return m, m.pageSize >= smallestPage && m.pageSize <= largestPage, nil
}
