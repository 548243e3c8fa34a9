package gitwork

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// syncTree makes everything below dir durable: one call for the file system costs less than one for each file.
func syncTree(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(unix.Syncfs(int(f.Fd())), f.Close())
}
