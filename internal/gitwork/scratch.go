package gitwork

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// scratchPrefix begins the name of every directory in which something is counted.
const scratchPrefix = "holdfast-count-"

// scratch is a temporary directory that is locked as long as somebody uses it, so that what a killed process left can be
// told from what another one needs.
type scratch struct {
	dir  string
	lock *os.File
}

// newScratch makes one below parent, and removes those of this user there that nobody uses any more.
func newScratch(parent string) (*scratch, error) {
	sweep(parent)
	for {
		dir, err := os.MkdirTemp(parent, scratchPrefix)
		if err != nil {
			return nil, err
		}
		lock, err := lockScratch(dir)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.EWOULDBLOCK) {
			continue // another one took it for left over before it was locked
		}
		return &scratch{dir, lock}, nil // where nothing can be locked, nothing is swept
	}
}

func (s *scratch) remove() error {
	err := os.RemoveAll(s.dir)
	if s.lock != nil {
		err = errors.Join(err, s.lock.Close())
	}
	return err
}

// sweep removes what it can: what stays is in nobody's way.
func sweep(parent string) {
	left, _ := filepath.Glob(filepath.Join(globQuote(parent), scratchPrefix+"*"))
	for _, dir := range left {
		if st, err := lstatAll(dir); err != nil || int(st.Uid) != os.Geteuid() {
			continue
		}
		if lock, err := lockScratch(dir); err == nil {
			_ = (&scratch{dir, lock}).remove()
		}
	}
}

// lockScratch locks a directory that is there under its name.
func lockScratch(dir string) (*os.File, error) {
	f, err := os.OpenFile(dir, os.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	if err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err == nil {
		err = sameAs(f, dir)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func sameAs(f *os.File, path string) error {
	open, err := f.Stat()
	if err != nil {
		return err
	}
	named, err := os.Lstat(path)
	if err == nil && !os.SameFile(open, named) {
		err = os.ErrNotExist
	}
	return err
}
