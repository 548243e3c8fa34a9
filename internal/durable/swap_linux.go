package durable

import "golang.org/x/sys/unix"

func swap(dirA int, a string, dirB int, b string) error {
	return unix.Renameat2(dirA, a, dirB, b, unix.RENAME_EXCHANGE)
}
