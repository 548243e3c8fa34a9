package dirstore

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"holdfast/internal/procid"
	"holdfast/lease"
)

// firstKinDescriptor is above what shells and programs number by hand: a nested run or
// "exec 3>file" would otherwise replace the descriptor and drop the lock. Where a process
// may not have so many, leastKinDescriptor is above what every shell takes for itself.
const (
	firstKinDescriptor = 100
	leastKinDescriptor = 10
)

// Kin takes the kin lock of the generation. Unlike the life lock it must survive
// exec, so that it is an ordinary file with flock(2).
func (h *hold) Kin() (*os.File, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended {
		return nil, h.hasEnded("take kin lock")
	}
	f, err := h.lockKin(kinName(h.generation))
	return f, h.failed("take kin lock", kinName(h.generation), err)
}

func (h *hold) lockKin(name string) (*os.File, error) {
	fd, err := h.openLock(name)
	if err != nil {
		return nil, err
	}
	path := h.view.store.at(sessionsName, h.view.digest.String(), name)
	if err := setMode(fd, name); err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	var high *os.File
	switch err = lockNow(fd, unix.LOCK_EX); {
	case err == unix.EWOULDBLOCK:
		err = &lease.StoreError{Kind: lease.ErrHeld, Op: "take kin lock", Path: path}
	case err != nil:
		err = h.view.store.lockFailed(path, err)
	default:
		high, err = moveUp(fd, path)
	}
	// Closing does not free the lock: it belongs to what both descriptors stand for.
	return high, errors.Join(err, unix.Close(fd))
}

// moveUp duplicates a descriptor to a high number, close-on-exec.
func moveUp(low int, name string) (*os.File, error) {
	fd, err := unix.FcntlInt(uintptr(low), unix.F_DUPFD_CLOEXEC, firstKinDescriptor)
	if errors.Is(err, unix.EINVAL) {
		fd, err = unix.FcntlInt(uintptr(low), unix.F_DUPFD_CLOEXEC, leastKinDescriptor)
	}
	if err != nil {
		return nil, err
	}
	if err := unix.SetNonblock(fd, false); err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	return os.NewFile(uintptr(fd), name), nil
}

// execPatience is how long a child may take from fork to exec on a busy machine.
const execPatience = 10 * time.Second

// KinHeld asks with a descriptor of its own, which a kin lock of this very process
// refuses too. A child of this process that is between fork and exec has a copy of every
// descriptor, of which exec closes those that are to be closed, and it does so after the
// kernel has let the parent go on: while nobody else has the lock, it is waited for.
func (h *hold) KinHeld() (bool, error) {
	for until := time.Now().Add(execPatience); ; time.Sleep(time.Millisecond) {
		held, err := h.kinSeemsHeld()
		if err != nil || !held || h.kinKept() || time.Now().After(until) {
			return held, err
		}
	}
}

// kinKept reports whether somebody is known to have the kin lock beyond an exec, or who
// has it cannot be found out. Whoever may not be looked into does not count: that is so
// of every user's processes for every other, and costs a wait.
func (h *hold) kinKept() bool {
	info, err := os.Lstat(h.view.store.at(sessionsName, h.view.digest.String(), kinName(h.generation)))
	if err != nil {
		return true
	}
	keepers, err := procid.Keepers(info)
	var partial *procid.PartialError
	return len(keepers) > 0 || err != nil && !errors.As(err, &partial)
}

func (h *hold) kinSeemsHeld() (bool, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended {
		return false, h.hasEnded("ask for kin lock")
	}
	name := kinName(h.generation)
	state := h.view.lock(name)
	var err error
	if state == lockUnknown {
		state, err = h.askLock(name)
	}
	if state == lockUnknown {
		return false, h.failed("ask for kin lock", name, err)
	}
	return state == lockHeld, nil
}

// askLock knows what is not plain.
func (h *hold) askLock(name string) (lockState, error) {
	x, err := h.session()
	if err != nil {
		return lockUnknown, err
	}
	return h.view.store.askLock(x.Root, name)
}
