package durable

import (
	"errors"
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// exchange swaps two names below root in one step. os.Root has no such call, so it
// works on the descriptors of the two parents.
func exchange(root *os.Root, a, b string) error {
	parentA, err := root.Open(path.Dir(a))
	if err != nil {
		return err
	}
	defer parentA.Close()
	parentB, err := root.Open(path.Dir(b))
	if err != nil {
		return err
	}
	defer parentB.Close()
	err = swap(int(parentA.Fd()), path.Base(a), int(parentB.Fd()), path.Base(b))
	if errors.Is(err, unix.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return ErrNoExchange
	}
	if err != nil {
		return &os.LinkError{Op: "exchange", Old: a, New: b, Err: err}
	}
	return nil
}
