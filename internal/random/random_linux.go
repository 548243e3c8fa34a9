package random

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// read asks the kernel. Where a sandbox keeps getrandom(2) from us, the device answers.
func read(b []byte) error {
	for len(b) > 0 {
		n, err := unix.Getrandom(b, 0)
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
