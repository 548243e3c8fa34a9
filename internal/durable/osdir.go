package durable

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// osDir is a directory of the operating system: one descriptor. Names below it are opened
// one element after the other, and none through a link.
type osDir struct {
	fd   int
	name string // for messages
}

// NewDir returns the directory that root is open on. The caller closes both.
func NewDir(root *os.Root) (Dir, error) {
	self, err := root.OpenFile(".", os.O_RDONLY|unix.O_NONBLOCK|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	raw, err := self.SyscallConn()
	var again int
	var failed error
	if err == nil {
		err = raw.Control(func(fd uintptr) { again, failed = OpenDirAt(int(fd), ".") })
	}
	if err := errors.Join(err, failed, self.Close()); err != nil {
		return nil, err
	}
	return DirAt(again, root.Name()), nil
}

// DirAt returns the directory that a descriptor is open on. Closing it closes that.
func DirAt(fd int, name string) Dir { return &osDir{fd, name} }

// Descriptor returns the descriptor of a directory of the operating system, which lasts
// until that is closed; -1 for any other.
func Descriptor(d Dir) int {
	switch d := d.(type) {
	case *osDir:
		return d.fd
	case *interceptedDir:
		return Descriptor(d.d)
	case *sharingDir:
		return Descriptor(d.Dir)
	}
	return -1
}

// Retry repeats a system call for as long as a signal interrupts it.
func Retry(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// below calls do with the directory that the last element of name is in.
func (d *osDir) below(name string, do func(at int, base string) error) error {
	first, rest, more := strings.Cut(name, "/")
	switch {
	case first == "..":
		return unix.EINVAL
	case !more:
		return Retry(func() error { return do(d.fd, name) })
	}
	next, err := OpenDirAt(d.fd, first)
	if err != nil {
		return err
	}
	defer unix.Close(next)
	return (&osDir{next, d.name}).below(rest, do)
}

// belowBoth is below for two names.
func (d *osDir) belowBoth(a, b string, do func(atA int, baseA string, atB int, baseB string) error) error {
	return d.below(a, func(atA int, baseA string) error {
		return d.below(b, func(atB int, baseB string) error { return do(atA, baseA, atB, baseB) })
	})
}

func (d *osDir) Create(name string) (File, error) {
	const flags = unix.O_WRONLY | unix.O_CREAT | unix.O_EXCL
	var f File
	err := d.below(name, func(at int, base string) error {
		fd, err := OpenAt(at, base, flags)
		if err == nil {
			f = &osFile{fd, name}
		}
		return err
	})
	return f, pathError("openat", name, err)
}

func (d *osDir) OpenDir(name string) (Dir, error) {
	var sub Dir
	err := d.below(name, func(at int, base string) error {
		fd, err := OpenDirAt(at, base)
		if err == nil {
			sub = DirAt(fd, path.Join(d.name, name))
		}
		return err
	})
	return sub, pathError("openat", name, err)
}

func (d *osDir) Mkdir(name string) error {
	return pathError("mkdirat", name, d.below(name, func(at int, base string) error {
		return unix.Mkdirat(at, base, uint32(DirMode))
	}))
}

func (d *osDir) Names() ([]string, error) { return NamesAt(d.fd) }

func (d *osDir) Lstat(name string) (e Entry, err error) {
	var st unix.Stat_t
	err = d.below(name, func(at int, base string) error {
		return unix.Fstatat(at, base, &st, unix.AT_SYMLINK_NOFOLLOW)
	})
	if err != nil {
		return Entry{}, pathError("fstatat", name, err)
	}
	return entryOf(&st), nil
}

// Chmod falls back on a call that follows links where the kernel has no other, after
// a look at what the name stands for.
func (d *osDir) Chmod(name string, mode fs.FileMode) error {
	chmod := func(flags int) error {
		err := Retry(func() error { return unix.Fchmodat(d.fd, name, uint32(mode.Perm()), flags) })
		return pathError("fchmodat", name, err)
	}
	err := chmod(unix.AT_SYMLINK_NOFOLLOW)
	if !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	e, err := d.Lstat(name)
	if err != nil || e.Mode.Type() == fs.ModeSymlink {
		return errors.Join(err, pathError("fchmodat", name, unix.ELOOP))
	}
	return chmod(0)
}

func (d *osDir) TryLock() (bool, error) {
	err := Retry(func() error { return unix.Flock(d.fd, unix.LOCK_EX|unix.LOCK_NB) })
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, pathError("flock", d.name, err)
}

func (d *osDir) Unlock() error {
	err := Retry(func() error { return unix.Flock(d.fd, unix.LOCK_UN) })
	return pathError("flock", d.name, err)
}

func (d *osDir) Link(from, to string) error {
	return linkError("linkat", from, to, d.belowBoth(from, to, func(atA int, a string, atB int, b string) error {
		return unix.Linkat(atA, a, atB, b, 0)
	}))
}

func (d *osDir) Rename(from, to string) error {
	return linkError("renameat", from, to, d.belowBoth(from, to, unix.Renameat))
}

// Exchange tells a file system that cannot from everything else.
func (d *osDir) Exchange(a, b string) error {
	err := d.belowBoth(a, b, swap)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return ErrNoExchange
	}
	return linkError("exchange", a, b, err)
}

// Remove takes what is no file for an empty directory.
func (d *osDir) Remove(name string) error {
	return pathError("unlinkat", name, d.below(name, func(at int, base string) error {
		err := unix.Unlinkat(at, base, 0)
		if err == nil || errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EINTR) {
			return err
		}
		if unix.Unlinkat(at, base, unix.AT_REMOVEDIR) == nil {
			return nil
		}
		return err
	}))
}

func (d *osDir) Sync() error { return pathError("fsync", d.name, syncDir(d.fd)) }

// SyncDir makes durable which names a directory has.
func SyncDir(dir *os.File) error { return pathError("fsync", dir.Name(), syncDir(int(dir.Fd()))) }

// syncDir asks behind the sync whether the file system still answers. XFS says of a
// directory that it is synced when it has just shut itself down and dropped what was to be
// written, and gives nothing but errors from then on.
func syncDir(fd int) error {
	if err := syncAll(fd); err != nil {
		return err
	}
	_, err := Fstat(fd)
	return err
}

func (d *osDir) Close() error { return pathError("close", d.name, unix.Close(d.fd)) }

func pathError(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

func linkError(op, from, to string, err error) error {
	if err == nil {
		return nil
	}
	return &os.LinkError{Op: op, Old: from, New: to, Err: err}
}
