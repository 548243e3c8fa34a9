//go:build unix && !linux

package supervise

import (
	"errors"
	"syscall"
)

// signalExactly cannot be done where a process has no lasting name.
func signalExactly(Process, ...syscall.Signal) error { return errors.ErrUnsupported }
