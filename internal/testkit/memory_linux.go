package testkit

import (
	"os"

	"golang.org/x/sys/unix"
)

// memory is where Linux has a file system in memory. Containers may have one of 64 MiB, or one that runs no programs.
const (
	memory = "/dev/shm"
	room   = 1 << 30 // bytes
)

// InMemory puts the temporary files of a package's tests, and of what they start, into memory. It is for tests that
// prove nothing about a disk and spend half of their time on one. On a disk they run where [LongVariable] is set, and
// where there is no such memory; where TMPDIR names a place, they run there. It is called by TestMain.
func InMemory() {
	var fs unix.Statfs_t
	if os.Getenv("TMPDIR") != "" || os.Getenv(LongVariable) == "1" || unix.Statfs(memory, &fs) != nil {
		return
	}
	if fs.Type == unix.TMPFS_MAGIC && fs.Flags&unix.ST_NOEXEC == 0 && fs.Bavail*uint64(fs.Bsize) >= room && unix.Access(memory, unix.W_OK) == nil {
		os.Setenv("TMPDIR", memory)
	}
}
