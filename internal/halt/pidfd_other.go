//go:build !linux

package halt

import (
	"errors"
	"syscall"
	"time"
)

// handle cannot be had where a process has no lasting name.
type handle struct{}

func open(Process) (handle, error) { return handle{}, errors.ErrUnsupported }

func (handle) close() {}

func (handle) signal(syscall.Signal) error { return errors.ErrUnsupported }

func (handle) ended(time.Duration) (bool, error) { return false, errors.ErrUnsupported }
