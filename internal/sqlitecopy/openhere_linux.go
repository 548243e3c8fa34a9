package sqlitecopy

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// openHere reports whether this process has a file open for writing. An SQLite in this process would lose its POSIX
// locks on it when we close a descriptor of ours, and corrupt the database.
func openHere(file stamp) bool {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return false
	}
	for _, e := range entries {
		var st unix.Stat_t
		fd, err := strconv.Atoi(e.Name())
		if err == nil && unix.Fstat(fd, &st) == nil && stampOf(&st).same(file) && writable(fd) {
			return true
		}
	}
	return false
}

func writable(fd int) bool {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_ACCMODE != unix.O_RDONLY
}
