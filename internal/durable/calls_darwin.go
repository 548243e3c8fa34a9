package durable

import (
	"errors"

	"golang.org/x/sys/unix"
)

func swap(dirA int, a string, dirB int, b string) error {
	return unix.RenameatxNp(dirA, a, dirB, b, unix.RENAME_SWAP)
}

// syncAll makes durable what a descriptor is open on. fsync alone leaves it to the disk
// here when that writes; where the disk cannot be told to, there is nothing but fsync.
func syncAll(fd int) error {
	err := Retry(func() error {
		_, err := unix.FcntlInt(uintptr(fd), unix.F_FULLFSYNC, 0)
		return err
	})
	if !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return Retry(func() error { return unix.Fsync(fd) })
}

// syncsAsAWhole is false: no call here is known to make durable all of a file system.
func syncsAsAWhole(int) bool { return false }

func syncfs(int) error { return errors.ErrUnsupported }
