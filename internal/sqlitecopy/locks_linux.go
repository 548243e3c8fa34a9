package sqlitecopy

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"holdfast/internal/durable"
)

// The locks belong to the open file description and not to the process: POSIX takes all locks of the process on a file
// away as soon as any descriptor of that file is closed, by whatever part of the program (one that hashes a working
// tree with the database in it, say). Both kinds exclude each other, so SQLite respects these.

func (l lock) flock(kind int16) unix.Flock_t {
	return unix.Flock_t{Type: kind, Whence: io.SeekStart, Start: l.start, Len: l.length}
}

// try takes the lock for reading without waiting, or returns errRefused.
func (l lock) try(f *os.File) error {
	lk := l.flock(unix.F_RDLCK)
	err := durable.Retry(func() error { return unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, &lk) })
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EACCES):
		return errRefused
	}
	return unsupported(f.Name(), err)
}

func (l lock) release(f *os.File) error {
	lk := l.flock(unix.F_UNLCK)
	if err := durable.Retry(func() error { return unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, &lk) }); err != nil {
		return unsupported(f.Name(), err)
	}
	return nil
}

// holder reports whether somebody keeps the lock from being taken for reading, and which process. It takes no lock.
// The process is 0 where the kernel does not name one.
func (l lock) holder(f *os.File) (pid int, held bool) {
	lk := l.flock(unix.F_RDLCK)
	err := durable.Retry(func() error { return unix.FcntlFlock(f.Fd(), unix.F_OFD_GETLK, &lk) })
	if err != nil || lk.Type == unix.F_UNLCK {
		return 0, false
	}
	return max(int(lk.Pid), 0), true
}
