package lease

import (
	"errors"
	"fmt"

	"holdfast/ownership"
)

// What callers branch on, through errors.Is.
var (
	// ErrHeld is returned by Store.Hold when somebody holds that life lock.
	ErrHeld = errors.New("the life lock is held")
	// ErrConflict is returned by Store.Publish when the record is not the expected one.
	ErrConflict = errors.New("the record is not the one expected")
	// ErrOutcomeUnknown is returned when a publish may or may not have taken effect.
	// The caller owns nothing (I9).
	ErrOutcomeUnknown = errors.New("outcome unknown")
	// ErrOwnershipLost is returned, and is the cause of a lease's cancelled context,
	// when another owner or a forced recovery may have taken the session.
	ErrOwnershipLost = errors.New("ownership lost")
	// ErrNotQuiescent is returned by Release while something that the owner started, or
	// a declared runtime, may still touch the session.
	ErrNotQuiescent = errors.New("not quiescent")
	// ErrWaitTimeout is returned when a session was still held at the end of a wait.
	ErrWaitTimeout = errors.New("still held at the end of the wait")
	// ErrStoreUnavailable is returned for a store that cannot be used as it is.
	ErrStoreUnavailable = errors.New("store unavailable")
	// ErrPermission is returned for a store that is not the caller's to use.
	ErrPermission = errors.New("permission denied")
	// ErrEnded is returned by the methods of a lease that was released or abandoned.
	ErrEnded = errors.New("the lease has ended")
)

// StoreError says where a store failed and what a person can do about it.
type StoreError struct {
	Kind   error  // one of the sentinels, or nil for a definite failure that changed nothing
	Op     string // what was attempted, e.g. "publish"
	Path   string // the file it was about, or ""
	Err    error  // what the system said
	Advice string // the next step, or ""
}

func (e *StoreError) Error() string {
	s := e.Op
	if e.Path != "" {
		s = fmt.Sprintf("%s %q", s, e.Path)
	}
	if e.Kind != nil {
		s += ": " + e.Kind.Error()
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the kind and the cause.
func (e *StoreError) Unwrap() []error {
	var all []error
	if e.Kind != nil {
		all = append(all, e.Kind)
	}
	if e.Err != nil {
		all = append(all, e.Err)
	}
	return all
}

// Refusal is returned when the state of a session does not allow what was asked.
// Nothing was changed.
type Refusal struct {
	Reason     ownership.Reason
	Message    string     // one line: what was refused and why
	Inspection Inspection // what the decision was made on
}

func (e *Refusal) Error() string { return e.Message }
