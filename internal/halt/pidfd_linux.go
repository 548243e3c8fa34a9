package halt

import (
	"errors"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"holdfast/internal/procid"
)

var ownNamespace = sync.OnceValue(func() *uint64 { return procid.ThisHost().PIDNamespace })

// handle is the kernel's descriptor of one process.
type handle struct{ fd int }

// open compares only what the descriptor names for good: whatever had the pid before is gone, and whatever gets it
// afterwards is not reached.
func open(p Process) (handle, error) {
	if p.StartTicks == 0 {
		return handle{}, ErrUnnamed
	}
	fd, err := retry(func() (int, error) { return unix.PidfdOpen(p.PID, 0) })
	switch {
	case errors.Is(err, unix.ESRCH), errors.Is(err, unix.EINVAL), errors.Is(err, unix.ENOENT): // none, or the number is a thread's by now: EINVAL, by newer kernels ENOENT
		return handle{}, ErrEnded
	case err != nil:
		return handle{}, err
	}
	h := handle{fd}
	_, same, err := procid.Exists(ownNamespace(), p.PID, &p.StartTicks)
	if err == nil && !same {
		err = ErrEnded
	}
	if err != nil {
		h.close()
		return handle{}, err
	}
	return h, nil
}

func (h handle) close() { _ = unix.Close(h.fd) }

func (h handle) signal(sig syscall.Signal) error {
	err := unix.PidfdSendSignal(h.fd, sig, nil, 0)
	if errors.Is(err, unix.ESRCH) {
		return ErrEnded
	}
	return err
}

// ended waits for the end of the process; a descriptor is readable from then on.
func (h handle) ended(patience time.Duration) (bool, error) {
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(h.fd), Events: unix.POLLIN}}, int(patience.Milliseconds()))
	if errors.Is(err, unix.EINTR) {
		return false, nil
	}
	return n > 0, err
}

func retry(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}
