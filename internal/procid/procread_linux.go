package procid

import (
	"bytes"
	"fmt"

	"golang.org/x/sys/unix"
)

// maxFile bounds what is read of one file: execve gives a process at most 6 MiB of arguments and environment (Linux,
// fs/exec.c, three quarters of _STK_LIM), and everything else here is smaller.
const maxFile = 8 << 20

// read returns the whole content of a file of at most maxFile bytes.
func (d procDir) read(name string) ([]byte, error) {
	fd, err := d.openFD(name, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	var content bytes.Buffer
	for {
		n, err := readMore(fd, &content)
		switch {
		case err != nil:
			return nil, procError(name, err)
		case n == 0:
			return content.Bytes(), nil
		case content.Len() > maxFile:
			return nil, fmt.Errorf("%s in /proc: more than %d bytes", name, maxFile)
		}
	}
}

// readPiece returns what the kernel writes in one piece, and smaller than a page: there is nothing behind a read that
// leaves room.
func (d procDir) readPiece(name string, b []byte) ([]byte, error) {
	fd, err := d.openFD(name, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	var n int
	err = uninterrupted(func() (err error) {
		n, err = unix.Read(fd, b)
		return err
	})
	switch {
	case err != nil:
		return nil, procError(name, err)
	case n == len(b):
		return d.read(name)
	}
	return b[:n], nil
}

func readMore(fd int, content *bytes.Buffer) (n int, err error) {
	const chunk = 4096
	content.Grow(chunk)
	free := content.AvailableBuffer()
	free = free[:cap(free)]
	err = uninterrupted(func() (err error) {
		n, err = unix.Read(fd, free)
		return err
	})
	if err != nil {
		return 0, err
	}
	content.Write(free[:n])
	return n, nil
}
