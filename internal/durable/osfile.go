package durable

import (
	"io"
	"io/fs"

	"golang.org/x/sys/unix"
)

// osFile is a file of the operating system that is being written. It is no os.File: that
// would have the system asked whether the file can be waited for, and lasts until a
// collector has seen it.
type osFile struct {
	fd   int
	name string // for messages
}

func (f *osFile) Write(b []byte) (written int, err error) {
	for written < len(b) {
		var n int
		err := Retry(func() (err error) {
			n, err = unix.Write(f.fd, b[written:])
			return err
		})
		if err == nil && n == 0 {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return written, pathError("write", f.name, err)
		}
		written += n
	}
	return written, nil
}

func (f *osFile) Stat() (Entry, error) {
	var st unix.Stat_t
	if err := Retry(func() error { return unix.Fstat(f.fd, &st) }); err != nil {
		return Entry{}, pathError("fstat", f.name, err)
	}
	return entryOf(&st), nil
}

func (f *osFile) Chmod(mode fs.FileMode) error {
	err := Retry(func() error { return unix.Fchmod(f.fd, uint32(mode.Perm())) })
	return pathError("fchmod", f.name, err)
}

func (f *osFile) Sync() error  { return pathError("fsync", f.name, syncAll(f.fd)) }
func (f *osFile) Close() error { return pathError("close", f.name, unix.Close(f.fd)) }
