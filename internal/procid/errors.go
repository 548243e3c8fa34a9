package procid

import (
	"errors"
	"fmt"
)

var (
	// ErrNamespaceUnseen is returned when a process is recorded in a pid namespace that cannot be seen from here.
	ErrNamespaceUnseen = errors.New("its pid namespace cannot be seen from here")

	// ErrNamespaceUnknown is returned when the record of a process does not say in which pid namespace it was.
	ErrNamespaceUnknown = errors.New("its pid namespace was not recorded")

	// ErrHidden is returned when /proc is mounted so that it hides processes from us (hidepid).
	ErrHidden = errors.New("/proc hides processes of other users (hidepid)")

	// ErrForeignProc is returned when /proc numbers processes for another pid namespace than ours, so that the pids
	// found there would name other processes in our system calls.
	ErrForeignProc = errors.New("/proc belongs to another pid namespace than this process")

	// errGone is returned when the process looked at does not exist (any more).
	errGone = errors.New("no such process")
)

// PartialError is returned together with a valid but perhaps incomplete list.
type PartialError struct {
	// Unreadable counts the processes that could not be looked into, for want of permission.
	Unreadable int
}

func (e *PartialError) Error() string {
	return fmt.Sprintf("%d processes could not be looked into", e.Unreadable)
}
