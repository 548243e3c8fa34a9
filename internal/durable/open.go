package durable

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"syscall"

	"golang.org/x/sys/unix"
)

// OpenAt opens a name of one element below a directory, or a path, and never a link in
// the last place. It waits for nobody's end of a pipe, and no child inherits it.
// What it creates has a mode that depends on the umask.
func OpenAt(at int, name string, flags int) (fd int, err error) {
	err = Retry(func() error {
		fd, err = unix.Openat(at, name, flags|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, uint32(FileMode))
		return err
	})
	return fd, err
}

// OpenDirAt opens a directory as [OpenAt] does.
func OpenDirAt(at int, name string) (fd int, err error) {
	return OpenAt(at, name, unix.O_RDONLY|unix.O_DIRECTORY)
}

// NamesAt lists a directory.
func NamesAt(dir int) (names []string, err error) {
	fd, err := OpenDirAt(dir, ".") // with a place of its own to read on from
	if err != nil {
		return nil, os.NewSyscallError("openat", err)
	}
	defer unix.Close(fd)
	for b := make([]byte, 4<<10); ; {
		var n int
		err := Retry(func() (err error) {
			n, err = unix.ReadDirent(fd, b)
			return err
		})
		if n <= 0 || err != nil {
			return names, os.NewSyscallError("getdents", err)
		}
		_, _, names = unix.ParseDirent(b[:n], -1, names)
	}
}

// OpenRoot opens the directory name below parent and refuses whatever else has that
// name. os.Root alone follows links that stay inside it.
func OpenRoot(parent *os.Root, name string) (*os.Root, error) {
	want, err := parent.Lstat(name)
	if err != nil {
		return nil, err
	}
	notDir := &fs.PathError{Op: "open", Path: path.Join(parent.Name(), name), Err: syscall.ENOTDIR}
	if !want.IsDir() {
		return nil, notDir
	}
	root, err := parent.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	if got, err := root.Stat("."); err != nil || !os.SameFile(want, got) {
		return nil, errors.Join(notDir, err, root.Close())
	}
	return root, nil
}
