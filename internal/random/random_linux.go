package random

import (
	"errors"
	"fmt"
	"io"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// read asks the kernel. Where a sandbox keeps getrandom(2) from us, the device answers.
func read(b []byte) error {
	for len(b) > 0 {
		n, err := getrandom(b)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return readDevice(b, err)
		default:
			b = b[n:]
		}
	}
	return nil
}

// getrandom is the bare system call. What [unix.Getrandom] calls, in the vDSO, is faster
// for who asks often, but has memory mapped for each first time.
func getrandom(b []byte) (int, error) {
	n, _, errno := unix.Syscall(unix.SYS_GETRANDOM, uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

// readDevice reads what getrandom refused for the reason why.
func readDevice(b []byte, why error) error {
	f, err := os.Open("/dev/urandom")
	if err != nil {
		return fmt.Errorf("getrandom: %w, and %w", why, err)
	}
	defer f.Close()
	_, err = io.ReadFull(f, b)
	return err
}
