package procid

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// We read /proc ourselves because github.com/prometheus/procfs compiles regular expressions when it is linked in:
// measured, 1.7 ms more for every start of a program that uses it, and `session run` pays that each time.
const procRoot = "/proc"

// procDir is an open /proc/PID or /proc/PID/task/TID. What is read through one value concerns one process, even if its
// pid is used again meanwhile: the kernel then answers ESRCH.
type procDir struct{ fd int }

// anywhere takes full paths. What is read through it costs no start of Go's poller, which os.File asks about every file.
var anywhere = procDir{unix.AT_FDCWD}

// openDir opens /proc or a directory below it. It returns errGone when there is no such process.
func openDir(path string) (procDir, error) {
	return anywhere.open(path)
}

func (d procDir) open(name string) (procDir, error) {
	fd, err := d.openFD(name, unix.O_DIRECTORY)
	return procDir{fd}, err
}

func (d procDir) openFD(name string, flags int) (int, error) {
	var fd int
	err := uninterrupted(func() (err error) {
		fd, err = unix.Openat(d.fd, name, unix.O_RDONLY|unix.O_CLOEXEC|flags, 0)
		return err
	})
	return fd, procError(name, err)
}

// close has nothing to lose: what was open was only read.
func (d procDir) close() { _ = unix.Close(d.fd) }

// link reads a symbolic link.
func (d procDir) link(name string) (string, error) {
	var buf [unix.PathMax]byte
	n, err := unix.Readlinkat(d.fd, name, buf[:])
	if err != nil {
		return "", procError(name, err)
	}
	return string(buf[:n]), nil
}

// stat follows links, those of fd/ to the open file itself included.
func (d procDir) stat(name string) (unix.Stat_t, error) {
	var st unix.Stat_t
	err := uninterrupted(func() error { return unix.Fstatat(d.fd, name, &st, 0) })
	return st, procError(name, err)
}

// numbers lists the entries of a directory whose names are numbers: processes, threads or descriptors.
func (d procDir) numbers(name string) ([]int, error) {
	fd, err := d.openFD(name, unix.O_DIRECTORY)
	if err != nil {
		return nil, err
	}
	dir := os.NewFile(uintptr(fd), name)
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, procError(name, err)
	}
	return slices.Sorted(numeric(names)), nil
}

func numeric(names []string) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for _, name := range names {
			if n, err := strconv.Atoi(name); err == nil && !yield(n) {
				return
			}
		}
	}
}

// uninterrupted repeats a system call that a signal interrupted.
func uninterrupted(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// procError turns the two ways in which the kernel says that a process has gone into errGone.
func procError(name string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ESRCH):
		return errGone
	default:
		return fmt.Errorf("%s in /proc: %w", name, err)
	}
}
