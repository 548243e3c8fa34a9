package durable

import "golang.org/x/sys/unix"

func swap(dirA int, a string, dirB int, b string) error {
	return unix.Renameat2(dirA, a, dirB, b, unix.RENAME_EXCHANGE)
}

// syncAll makes durable what a descriptor is open on.
func syncAll(fd int) error { return Retry(func() error { return unix.Fsync(fd) }) }
