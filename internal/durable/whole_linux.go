package durable

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// syncsAsAWhole reports whether one call makes durable all that was written to the file
// system that a directory is on, and tells every error: of ext4 (ext2 and ext3 too) and
// XFS it is known, since Linux 5.17, that passes on what a file system says. FUSE, among
// others, writes to a server and does not ask it to make that durable.
func syncsAsAWhole(fd int) bool {
	var fs unix.Statfs_t
	if err := Retry(func() error { return unix.Fstatfs(fd, &fs) }); err != nil {
		return false
	}
	if magic := uint32(fs.Type); magic != unix.EXT4_SUPER_MAGIC && magic != unix.XFS_SUPER_MAGIC {
		return false
	}
	var name unix.Utsname
	return unix.Uname(&name) == nil && tellsEveryError(unix.ByteSliceToString(name.Release[:]))
}

func tellsEveryError(release string) bool {
	var major, minor int
	if _, err := fmt.Sscanf(release, "%d.%d", &major, &minor); err != nil {
		return false
	}
	return major > 5 || major == 5 && minor >= 17
}

func syncfs(fd int) error { return unix.Syncfs(fd) }
