package dirstore

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"holdfast/internal/durable"
	"holdfast/lease"
)

// firstKinDescriptor is above what shells and programs number by hand: a nested run or
// "exec 3>file" would otherwise replace the descriptor and drop the lock.
const firstKinDescriptor = 100

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
	if err != nil {
		return nil, err
	}
	if err := unix.SetNonblock(fd, false); err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

// KinHeld asks with a descriptor of its own, which a kin lock of this very process
// refuses too. Who seems to hold it may be a child of this process that is between fork
// and exec, and has a copy of every descriptor until then: where the answer would be
// yes, it is asked for again at a moment when no fork is under way. That is most of it:
// the kernel lets the parent go on just before it closes what closes on exec.
func (h *hold) KinHeld() (bool, error) {
	held, err := h.kinSeemsHeld()
	if err != nil || !held {
		return held, err
	}
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return h.kinSeemsHeld()
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
