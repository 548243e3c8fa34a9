package dirstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// readFlags open without following a link and without waiting for a FIFO's writer.
const readFlags = os.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK

// errReplaced is returned when what a name stood for changed at each of many looks.
var errReplaced = errors.New("it is replaced faster than it can be opened")

// manyTimes bounds what is tried again because somebody else got in between.
const manyTimes = 1000

// irregularError is returned for something else than a regular file in the place of
// one.
type irregularError struct {
	name string
	what string
}

func (e *irregularError) Error() string { return e.name + " is " + e.what }

// lstatRegular returns an [*irregularError] unless name stands for a regular file.
func lstatRegular(root *os.Root, name string) (fs.FileInfo, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &irregularError{name, kindOf(root, name, info)}
	}
	return info, nil
}

// openRegular opens name for reading if it stands for a regular file and for nothing
// else. os.Root follows links that stay inside it, so what was opened is compared
// with what the name stands for.
func openRegular(root *os.Root, name string) (*os.File, error) {
	for range manyTimes {
		want, err := lstatRegular(root, name)
		if err != nil {
			return nil, err
		}
		f, err := root.OpenFile(name, readFlags, 0)
		if missing(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		got, err := f.Stat()
		if err == nil && os.SameFile(want, got) {
			return f, nil
		}
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: errReplaced}
}

// kindOf says in words what a name stands for.
func kindOf(root *os.Root, name string, info fs.FileInfo) string {
	switch mode := info.Mode(); {
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeSymlink != 0:
		target, err := root.Readlink(name)
		if err != nil {
			return "a symbolic link"
		}
		return fmt.Sprintf("a symbolic link to %q", target)
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode.IsRegular():
		return "a file"
	default:
		return "a device"
	}
}
