package gitwork

import (
	"io"
	"os"
	"time"
)

// stableTries is how often a file that moves is read again before it is kept as read.
const stableTries = 3

// copyStable copies a file with its modification time. It reports whether the file was still moving at the last try.
func copyStable(from, to string) (moved bool, err error) {
	for range stableTries {
		if moved, err = copyOnce(from, to); err != nil || !moved {
			break
		}
	}
	return moved, err
}

func copyOnce(from, to string) (moved bool, err error) {
	src, err := openSource(from)
	if err != nil {
		return false, err
	}
	defer src.Close()
	before, err := fstat(src)
	if err != nil {
		return false, err
	}
	if err := writeFrom(src, to); err != nil {
		return false, err
	}
	after, err := fstat(src)
	if err != nil {
		return false, err
	}
	mtime := time.Unix(0, before.Mtime)
	return before != after, os.Chtimes(to, mtime, mtime)
}

func writeFrom(src io.Reader, to string) (err error) {
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	if closing := dst.Close(); err == nil {
		err = closing
	}
	return err
}
