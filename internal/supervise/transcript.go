package supervise

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// ErrTranscript is returned by [Run] when the transcript cannot be opened, or is
// not a regular file.
var ErrTranscript = errors.New("transcript")

// openTranscript creates path for the owner alone, or empties the regular file that
// is there. It follows no link at the last component and waits for nobody.
func openTranscript(path string) (*os.File, error) {
	fd, created, err := openOrCreate(path)
	if err != nil {
		return nil, fmt.Errorf("%w %q: %w", ErrTranscript, path, err)
	}
	f := os.NewFile(uintptr(fd), path)
	if err := emptyRegular(f, created); err != nil {
		f.Close()
		return nil, fmt.Errorf("%w %q: %w", ErrTranscript, path, err)
	}
	return f, nil
}

// openAttempts bounds the race with somebody who creates and removes the file.
const openAttempts = 10

func openOrCreate(path string) (fd int, created bool, err error) {
	// A FIFO without a reader fails with ENXIO rather than block.
	const flags = unix.O_WRONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_CLOEXEC | unix.O_APPEND
	for range openAttempts {
		fd, err = retryInt(func() (int, error) { return unix.Open(path, flags, 0) })
		if err != unix.ENOENT {
			return fd, false, err
		}
		fd, err = retryInt(func() (int, error) { return unix.Open(path, flags|unix.O_CREAT|unix.O_EXCL, 0o600) })
		if err != unix.EEXIST {
			return fd, true, err
		}
	}
	return -1, false, err
}

// emptyRegular truncates here and not by O_TRUNC, because only now is it known
// what was opened.
func emptyRegular(f *os.File, created bool) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("not a regular file: %v", info.Mode())
	}
	if created {
		if err := f.Chmod(0o600); err != nil { // whatever the umask is
			return err
		}
	}
	return f.Truncate(0)
}
