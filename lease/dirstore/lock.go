package dirstore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
	"golang.org/x/sys/unix"

	"holdfast/internal/durable"
	"holdfast/lease"
)

// claimFlags open an existing lock file to lock it exclusively.
const claimFlags = os.O_RDWR | unix.O_NOFOLLOW | unix.O_NONBLOCK

// try takes a lock without waiting. The library does not retry what a signal
// interrupted, and opens by path name: callers compare what was locked with what the
// name stands for.
func try(take func() (bool, error)) (ok bool, err error) {
	err = durable.Retry(func() error {
		ok, err = take()
		return err
	})
	return ok, err
}

// giveBack ends what try took, as [free] does.
func giveBack(l *flock.Flock) error { return durable.Retry(l.Unlock) }

// lockNow takes a lock of a file without waiting.
func lockNow(fd, how int) error {
	return durable.Retry(func() error { return unix.Flock(fd, how|unix.LOCK_NB) })
}

func unlock(fd int) error {
	return durable.Retry(func() error { return unix.Flock(fd, unix.LOCK_UN) })
}

// free unlocks explicitly: closing alone leaves the lock with any child that is
// between fork and exec.
func free(fd int) error { return errors.Join(unlock(fd), unix.Close(fd)) }

// lockState is what a look at a lock found.
type lockState string

const (
	lockHeld    lockState = "held"
	lockFree    lockState = "free"
	lockMissing lockState = "missing"
	lockUnknown lockState = "unknown"
)

// askLock looks whether somebody holds the lock of a file, with a shared lock of its
// own that lasts for microseconds. The error belongs to lockUnknown.
func (s *Store) askLock(x *os.Root, name string) (lockState, error) {
	for range manyTimes {
		state, err := s.askLockOnce(x, name)
		if state != "" {
			return state, err
		}
	}
	return lockUnknown, errReplaced
}

// askLockOnce returns "" when what the name stands for changed meanwhile.
func (s *Store) askLockOnce(x *os.Root, name string) (lockState, error) {
	want, err := lstatRegular(x, name)
	if missing(err) {
		return lockMissing, nil
	}
	if err != nil {
		return lockUnknown, err
	}
	l := flock.New(filepath.Join(x.Name(), name), flock.SetFlag(readFlags))
	ok, err := try(l.TryRLock)
	switch {
	case missing(err):
		return "", nil
	case err != nil:
		return lockUnknown, s.lockError(err)
	case !ok:
		return lockHeld, nil
	}
	got, err := l.Stat()
	if err := errors.Join(err, giveBack(l)); err != nil {
		return lockUnknown, s.lockError(err)
	}
	if !os.SameFile(want, got) {
		return "", nil
	}
	return lockFree, nil
}

// lockError names the file system where locking itself fails. A lock that cannot be
// asked about is never free.
func (s *Store) lockError(err error) error {
	if errors.Is(err, unix.ENOLCK) || errors.Is(err, unix.ENOSYS) || errors.Is(err, errors.ErrUnsupported) {
		return fmt.Errorf("%s cannot lock: %w", s.fileSystemName(), err)
	}
	return err
}

// unlockable is the refusal of a file system whose locks do not work.
func (s *Store) unlockable(path string, err error) error {
	return &lease.StoreError{
		Kind: lease.ErrStoreUnavailable, Op: "lock", Path: path, Err: err,
		Advice: "name a store on a local disk whose locks work",
	}
}
