package sqlitecopy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

const chunk = 1 << 20

// rawCopy is the directory of what is read of a source. Its files stay open from one try to the next, and a try writes
// only what is not there yet: a copy under a lock that writers wait for then takes as long as reading.
type rawCopy struct {
	dir          string
	files        [len(kept)]*os.File
	buffer, have []byte
	meter        *meter
	read         int64 // bytes, in this try
}

func newRawCopy(dir string, m *meter) *rawCopy {
	return &rawCopy{dir: dir, buffer: make([]byte, chunk), have: make([]byte, chunk), meter: m}
}

func (r *rawCopy) path(s side) string { return s.of(filepath.Join(r.dir, "db")) }

// take makes the copy of one side equal to what f reads from its beginning to its end. A nil f is an absent file.
func (r *rawCopy) take(ctx context.Context, s side, f *os.File) error {
	if f == nil {
		return r.drop(s)
	}
	to, err := r.open(s)
	if err != nil {
		return err
	}
	for at := int64(0); ; {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		n, err := f.ReadAt(r.buffer, at)
		if err != nil && !errors.Is(err, io.EOF) {
			return unreadable(f.Name(), err)
		}
		if n == 0 {
			return target(to.Name(), to.Truncate(at))
		}
		if err := r.put(to, r.buffer[:n], at); err != nil {
			return err
		}
		at += int64(n)
	}
}

func (r *rawCopy) put(to *os.File, b []byte, at int64) error {
	r.read += int64(len(b))
	r.meter.add(int64(len(b)))
	n, err := to.ReadAt(r.have[:len(b)], at)
	if err != nil && !errors.Is(err, io.EOF) {
		return target(to.Name(), err)
	}
	if bytes.Equal(r.have[:n], b) {
		return nil
	}
	_, err = to.WriteAt(b, at)
	return target(to.Name(), err)
}

func (r *rawCopy) open(s side) (f *os.File, err error) {
	if r.files[s] == nil {
		f, err = os.OpenFile(r.path(s), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return nil, target(r.path(s), err)
		}
		r.files[s] = f
	}
	return r.files[s], nil
}

// drop forgets what an earlier try found.
func (r *rawCopy) drop(s side) error {
	if r.files[s] == nil {
		return nil
	}
	err := errors.Join(r.files[s].Close(), os.Remove(r.path(s)))
	r.files[s] = nil
	return target(r.path(s), err)
}

func (r *rawCopy) has() (present []side) {
	for _, s := range kept {
		if r.files[s] != nil {
			present = append(present, s)
		}
	}
	return present
}

// recoverable reports whether a log or a journal with something in it was found: what an unfinished transaction
// changed can then be undone.
func (r *rawCopy) recoverable() bool {
	if r.files[wal] != nil {
		return true
	}
	var first [1]byte
	if f := r.files[journal]; f != nil {
		f.ReadAt(first[:], 0)
	}
	return first[0] != 0
}

// seal makes the copy durable, through the descriptors that it was written with: others need not be told what failed.
func (r *rawCopy) seal() error {
	for s, f := range r.files {
		if f == nil {
			continue
		}
		if err := f.Sync(); err != nil {
			return target(r.path(side(s)), err)
		}
	}
	return syncDir(r.dir)
}

func (r *rawCopy) close() {
	for _, f := range r.files {
		if f != nil {
			f.Close()
		}
	}
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return target(dir, err)
	}
	defer d.Close()
	return target(dir, d.Sync())
}

// target returns what the system said of a file as an error about the copy.
func target(path string, err error) error {
	var said *fs.PathError
	if !errors.As(err, &said) {
		return err
	}
	return unwritable(path, said.Err)
}
