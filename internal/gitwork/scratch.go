package gitwork

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// How the names begin of the directories in which something is counted, git starts for a restore, and a restore is made.
const (
	countPrefix     = "holdfast-count-"
	homePrefix      = "holdfast-home-"
	restoringPrefix = ".restoring-"
)

// scratch is a temporary directory that is locked as long as somebody uses it, so that what a killed process left can be
// told from what another one needs.
type scratch struct {
	dir  string
	lock *os.File
}

// newScratch makes one below parent, and removes those of this user and kind there that nobody uses any more.
func newScratch(parent, prefix string) (*scratch, error) {
	Sweep(parent, func(name string) bool { return strings.HasPrefix(name, prefix) })
	for {
		dir, err := os.MkdirTemp(parent, prefix)
		if err != nil {
			return nil, err
		}
		lock, err := Claim(dir)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.EWOULDBLOCK) {
			continue // another one took it for left over before it was locked
		}
		return &scratch{dir, lock}, nil // where nothing can be locked, nothing is swept
	}
}

func (s *scratch) remove() error { return errors.Join(removeAll(s.dir), s.release()) }

// release lets go of a directory that stays, perhaps under another name.
func (s *scratch) release() error {
	if s.lock == nil {
		return nil
	}
	return s.lock.Close()
}

// Sweep removes the directories of this user in parent that are left over by their names and that nobody has claimed.
// What stays is in nobody's way.
func Sweep(parent string, leftOver func(name string) bool) {
	names, _ := readNames(parent)
	for _, name := range names {
		if !leftOver(name) {
			continue
		}
		dir := filepath.Join(parent, name)
		if st, err := lstatAll(dir); err != nil || int(st.Uid) != os.Geteuid() {
			continue
		}
		if lock, err := Claim(dir); err == nil {
			_ = (&scratch{dir, lock}).remove()
		}
	}
}

// Claim locks a directory that is there under its name, until the file is closed or the process has ended. Its error is
// fs.ErrNotExist for one that was removed or replaced meanwhile, and unix.EWOULDBLOCK for one that is claimed.
func Claim(dir string) (*os.File, error) {
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
