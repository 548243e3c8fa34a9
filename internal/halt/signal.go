package halt

import (
	"errors"
	"fmt"
	"syscall"

	"holdfast/internal/procid"
)

// Process is who is meant: pid and start ticks name it, its program is for people.
type Process = procid.Process

// ErrEnded is returned when the named process does not exist, or has ended. Its number may be another's.
var ErrEnded = errors.New("the process has ended")

// ErrUnnamed is returned for a process whose start ticks are not known: a pid alone names nobody.
var ErrUnnamed = errors.New("its start is not known, so it cannot be told from another process of its number")

// Signal sends signals, in order, to p and to no other process that has its number now.
func Signal(p Process, signals ...syscall.Signal) error {
	h, err := open(p)
	if err != nil {
		return about(p, err)
	}
	defer h.close()
	for _, sig := range signals {
		if err := h.signal(sig); err != nil {
			return about(p, err)
		}
	}
	return nil
}

func about(p Process, err error) error {
	return fmt.Errorf("process %d (%q): %w", p.PID, p.Program, err)
}
