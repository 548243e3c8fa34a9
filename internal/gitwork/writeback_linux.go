package gitwork

import (
	"os"

	"golang.org/x/sys/unix"
)

// writeBack asks the kernel to begin to write a part of a file to the disk, so that little is left to wait for at the
// end. It makes nothing durable, and that it fails means nothing.
func writeBack(f *os.File, from, size int64) {
	_ = unix.SyncFileRange(int(f.Fd()), from, size, unix.SYNC_FILE_RANGE_WRITE)
}
