package dirstore

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"holdfast/internal/durable"
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
	x, err := h.session()
	if err != nil {
		return nil, err
	}
	f, err := h.lockKin(x.Root)
	return f, h.store.failed("take kin lock", h.kinPath(), err)
}

func (h *hold) kinPath() string {
	return h.store.at(sessionsName, h.digest.String(), kinName(h.generation))
}

func (h *hold) lockKin(x *os.Root) (*os.File, error) {
	name := kinName(h.generation)
	if err := createEmpty(x, name); err != nil {
		return nil, err
	}
	f, err := openLock(x, name)
	if err != nil {
		return nil, err
	}
	if err := flockNow(f, unix.LOCK_EX); err != nil {
		if errors.Is(err, unix.EWOULDBLOCK) {
			err = &lease.StoreError{Kind: lease.ErrHeld, Op: "take kin lock", Path: h.kinPath()}
		}
		return nil, errors.Join(h.store.lockFailed(h.kinPath(), err), f.Close())
	}
	high, err := moveUp(f)
	// Closing does not free the lock: it belongs to what both descriptors stand for.
	return high, errors.Join(err, f.Close())
}

// openLock opens a lock file of ours for reading and writing.
func openLock(x *os.Root, name string) (*os.File, error) {
	want, err := lstatRegular(x, name)
	if err != nil {
		return nil, err
	}
	f, err := x.OpenFile(name, claimFlags, 0)
	if err != nil {
		return nil, err
	}
	got, err := f.Stat()
	if err == nil && !os.SameFile(want, got) {
		err = errReplaced
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func flockNow(f *os.File, how int) error {
	return durable.Retry(func() error { return unix.Flock(int(f.Fd()), how|unix.LOCK_NB) })
}

// moveUp duplicates a descriptor to a high number, close-on-exec.
func moveUp(f *os.File) (*os.File, error) {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, firstKinDescriptor)
	if errors.Is(err, unix.EINVAL) {
		fd, err = unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, leastKinDescriptor)
	}
	if err != nil {
		return nil, err
	}
	if err := unix.SetNonblock(fd, false); err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
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
	x, err := h.session()
	if err != nil {
		return true
	}
	info, err := x.Lstat(kinName(h.generation))
	if err != nil {
		return true
	}
	keepers, err := procid.Keepers(info)
	var partial *procid.PartialError
	return len(keepers) > 0 || err != nil && !errors.As(err, &partial)
}

func (h *hold) kinSeemsHeld() (bool, error) {
	x, err := h.session()
	if err != nil {
		return false, err
	}
	state, err := h.store.askLock(x.Root, kinName(h.generation))
	if state == lockUnknown {
		return false, h.store.failed("ask for kin lock", h.kinPath(), err)
	}
	return state == lockHeld, nil
}
