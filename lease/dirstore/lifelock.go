package dirstore

import (
	"errors"
	"fmt"
	"io/fs"

	"golang.org/x/sys/unix"

	"holdfast/internal/durable"
	"holdfast/lease"
)

// take locks the file and proves that the lock is the one that others will meet. A
// claimant that backs off leaves the file: its publisher removes it.
//
// It locks the descriptor by itself, and not through github.com/gofrs/flock, which opens by path
// name: what is made and opened through the session's directory is the session's, and one
// call does what takes a file made, closed and opened again. Of that library it keeps
// that unlocking comes before closing, and adds that EINTR is no answer.
func (h *hold) take() (err error) {
	if h.lock, err = h.openLock(lifeName(h.generation)); err != nil {
		return replacedIfMissing(err)
	}
	switch err := lockNow(h.lock, unix.LOCK_EX); {
	case err == unix.EWOULDBLOCK:
		err := &lease.StoreError{Kind: lease.ErrHeld, Op: "take life lock", Path: h.path}
		return errors.Join(err, unix.Close(h.lock))
	case err != nil:
		return errors.Join(h.view.store.lockFailed(h.path, err), unix.Close(h.lock))
	}
	if err := h.prove(); err != nil {
		return errors.Join(err, free(h.lock))
	}
	return nil
}

// replacedIfMissing is for a file that was there a moment ago: its owner removed it.
func replacedIfMissing(err error) error {
	if missing(err) {
		return errReplaced
	}
	return err
}

// lockFailed tells a file system whose locks do not work from everything else.
func (s *Store) lockFailed(path string, err error) error {
	if named := s.lockError(err); named != err {
		return s.unlockable(path, named)
	}
	return &fs.PathError{Op: "flock", Path: path, Err: err}
}

// prove opens the file by its path, as another process would, compares it with what was
// locked, since its owner may have removed it in between, and asks for the lock a second
// time, which must be refused.
func (h *hold) prove() error {
	locked, err := durable.Fstat(h.lock)
	if err != nil {
		return err
	}
	if locked.Mode != durable.FileMode { // the umask took some of it
		if err := setMode(h.lock, lifeName(h.generation)); err != nil {
			return err
		}
	}
	h.id = locked.ID
	second, err := durable.OpenAt(unix.AT_FDCWD, h.path, unix.O_RDONLY)
	if err != nil {
		return replacedIfMissing(&fs.PathError{Op: "open", Path: h.path, Err: err})
	}
	got, err := durable.Fstat(second)
	if err == nil && got.ID != h.id {
		err = errReplaced
	}
	if err != nil {
		return errors.Join(err, unix.Close(second))
	}
	switch err := lockNow(second, unix.LOCK_SH); {
	case err == unix.EWOULDBLOCK:
		return unix.Close(second)
	case err != nil:
		return errors.Join(h.view.store.lockFailed(h.path, err), unix.Close(second))
	}
	err = h.view.store.unlockable(h.path, fmt.Errorf("%s grants one lock twice", h.view.store.fileSystemName()))
	return errors.Join(err, free(second))
}

// openLock opens a lock file of this generation to lock it exclusively, and makes it
// unless the name is taken. Its mode depends on the umask until setMode.
func (h *hold) openLock(name string) (int, error) {
	fd, err := durable.OpenAt(h.view.at.self, name, claimFlags|unix.O_CREAT|unix.O_EXCL)
	switch {
	case err == unix.EEXIST:
		return h.reopenLock(name)
	case err != nil:
		return -1, &fs.PathError{Op: "create", Path: name, Err: err}
	}
	return fd, nil
}

func setMode(fd int, name string) error {
	err := durable.Retry(func() error { return unix.Fchmod(fd, uint32(durable.FileMode)) })
	if err != nil {
		return &fs.PathError{Op: "chmod", Path: name, Err: err}
	}
	return nil
}

// reopenLock opens a lock file that somebody left, and nothing else.
func (h *hold) reopenLock(name string) (int, error) {
	x, err := h.session()
	if err != nil {
		return -1, err
	}
	if _, err := lstatRegular(x.Root, name); err != nil {
		return -1, err
	}
	fd, err := durable.OpenAt(h.view.at.self, name, claimFlags)
	if err != nil {
		return -1, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	e, err := durable.Fstat(fd)
	if err == nil && !e.Mode.IsRegular() {
		err = errReplaced
	}
	if err != nil {
		return -1, errors.Join(err, unix.Close(fd))
	}
	return fd, nil
}
