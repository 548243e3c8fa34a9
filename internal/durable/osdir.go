package durable

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// osDir is a directory of the operating system.
type osDir struct {
	root *os.Root
	self *os.File // the same directory, for fsync, flock and fchmod
	fd   int      // of self
}

// NewDir returns the directory that root is open on. The caller closes both.
func NewDir(root *os.Root) (Dir, error) {
	d, err := dirOf(root)
	if err != nil {
		return nil, err
	}
	return &d, nil
}

// dirOf opens the directory itself. Neither the opening nor the descriptor is asked to
// block, which would cost four calls; a directory never does.
func dirOf(root *os.Root) (d osDir, err error) {
	self, err := root.OpenFile(".", os.O_RDONLY|unix.O_NONBLOCK|unix.O_DIRECTORY, 0)
	if err != nil {
		return d, err
	}
	raw, err := self.SyscallConn()
	if err == nil {
		err = raw.Control(func(fd uintptr) { d = osDir{root, self, int(fd)} })
	}
	if err != nil {
		return osDir{}, errors.Join(err, self.Close())
	}
	return d, nil
}

// Descriptor returns the descriptor of a directory of the operating system, which lasts
// until that is closed; -1 for any other.
func Descriptor(d Dir) int {
	switch d := d.(type) {
	case *osDir:
		return d.fd
	case *interceptedDir:
		return Descriptor(d.d)
	}
	return -1
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

// EntryOf returns the identity, mode and owner of a file of the operating system.
func EntryOf(info fs.FileInfo) Entry {
	st := info.Sys().(*syscall.Stat_t)
	return Entry{ID{uint64(st.Dev), uint64(st.Ino)}, info.Mode(), st.Uid}
}

// Retry repeats a system call for as long as a signal interrupts it.
func Retry(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

func (d *osDir) Create(name string) (File, error) {
	const flags = os.O_WRONLY | os.O_CREATE | os.O_EXCL | unix.O_NOFOLLOW | unix.O_NONBLOCK
	f, err := d.root.OpenFile(name, flags, FileMode)
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

func (p *osDir) OpenDir(name string) (Dir, error) {
	root, err := OpenRoot(p.root, name)
	if err != nil {
		return nil, err
	}
	d, err := dirOf(root)
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return &ownedDir{d}, nil
}

// ownedDir also closes the root that it opened.
type ownedDir struct{ osDir }

func (d *ownedDir) Close() error { return errors.Join(d.osDir.Close(), d.root.Close()) }

func (d *osDir) Lstat(name string) (Entry, error) {
	info, err := d.root.Lstat(name)
	if err != nil {
		return Entry{}, err
	}
	return EntryOf(info), nil
}

func (d *osDir) Names() ([]string, error) {
	f, err := d.root.Open(".")
	if err != nil {
		return nil, err
	}
	names, err := f.Readdirnames(-1)
	return names, errors.Join(err, f.Close())
}

// Chmod falls back on a call that follows links where the kernel has no other, after
// a look at what the name stands for.
func (d *osDir) Chmod(name string, mode fs.FileMode) error {
	err := d.root.Chmod(name, mode)
	if !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	e, err := d.Lstat(name)
	if err != nil || e.Mode.Type() == fs.ModeSymlink {
		return errors.Join(err, pathError("chmod", name, unix.ELOOP))
	}
	err = Retry(func() error { return unix.Fchmodat(d.fd, name, uint32(mode.Perm()), 0) })
	return pathError("chmod", name, err)
}

func (d *osDir) TryLock() (bool, error) {
	err := Retry(func() error { return unix.Flock(d.fd, unix.LOCK_EX|unix.LOCK_NB) })
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, pathError("flock", d.self.Name(), err)
}

func (d *osDir) Unlock() error {
	err := Retry(func() error { return unix.Flock(d.fd, unix.LOCK_UN) })
	return pathError("flock", d.self.Name(), err)
}

func (d *osDir) Mkdir(name string) error      { return d.root.Mkdir(name, DirMode) }
func (d *osDir) Link(from, to string) error   { return d.root.Link(from, to) }
func (d *osDir) Rename(from, to string) error { return d.root.Rename(from, to) }
func (d *osDir) Exchange(a, b string) error   { return exchange(d.root, a, b) }
func (d *osDir) Sync() error                  { return d.self.Sync() }
func (d *osDir) Close() error                 { return d.self.Close() }

// Remove asks once about a name of one element that nothing has, or a file: os.Root takes
// what is no file for a directory, and asks again.
func (d *osDir) Remove(name string) error {
	if strings.Contains(name, "/") {
		return d.root.Remove(name)
	}
	err := Retry(func() error { return unix.Unlinkat(d.fd, name, 0) })
	if err == nil || errors.Is(err, unix.ENOENT) {
		return pathError("unlinkat", name, err)
	}
	return d.root.Remove(name)
}

type osFile struct{ *os.File }

func (f osFile) Stat() (Entry, error) {
	info, err := f.File.Stat()
	if err != nil {
		return Entry{}, err
	}
	return EntryOf(info), nil
}

func pathError(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}
