package supervise

import (
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"holdfast/internal/procid"
)

var ownNamespace = sync.OnceValue(func() *uint64 { return procid.ThisHost().PIDNamespace })

// signalExactly sends signals to p and to no other process that has its number now.
func signalExactly(p Process, signals ...syscall.Signal) error {
	fd, err := retryInt(func() (int, error) { return unix.PidfdOpen(p.PID, 0) })
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	// The descriptor names one process for good; only now is it worth comparing.
	if _, same, err := procid.Exists(ownNamespace(), p.PID, &p.StartTicks); err != nil || !same {
		return err
	}
	for _, sig := range signals {
		if err := unix.PidfdSendSignal(fd, sig, nil, 0); err != nil {
			return err
		}
	}
	return nil
}
