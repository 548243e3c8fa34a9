// Package plainfile opens files that somebody else named.
//
// # Vocabulary
//
// A plain file is a regular file under its own name: no link, pipe, device or directory.
//
// # Guarantees
//
// What is opened is what was looked at before, and nothing else is ever opened: to open a device or a FIFO can do
// something, and a link can lead anywhere.
//
// # Non-guarantees
//
// Links in the directories above are followed. The content can change while it is read.
package plainfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// Open opens the plain file at path for reading. It returns what the system said, or an error that says, without the
// path, what is there instead.
func Open(path string) (*os.File, error) {
	want, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !want.Mode().IsRegular() {
		return nil, fmt.Errorf("it is no regular file but %s", kindOf(want.Mode()))
	}
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	got, err := f.Stat()
	if err == nil && !os.SameFile(want, got) {
		err = errors.New("it was replaced while it was being opened")
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	}
	return "a device"
}
