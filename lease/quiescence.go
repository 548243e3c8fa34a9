package lease

import (
	"context"
	"fmt"

	"holdfast/internal/probe"
)

// Quiescent returns the [*NotQuiescentError] with which Release would be refused, or
// nil. It closes this process's copy of the kin descriptor.
func (l *Lease) Quiescent(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.inForce(); err != nil {
		return err
	}
	return l.provesQuiescence(ctx)
}

func (l *Lease) provesQuiescence(ctx context.Context) error {
	_ = l.closeKin() // else the lock that is looked for would be our own
	held, err := l.hold.KinHeld()
	if err != nil {
		return err
	}
	if held {
		return &NotQuiescentError{"a process that holds the kin lock"}
	}
	rt := l.current.Record.Session.Runtime
	if rt == nil {
		return nil
	}
	alive, detail, err := probe.Runtime(ctx, *rt)
	if err != nil {
		return &NotQuiescentError{fmt.Sprintf("runtime %s, which could not be asked: %v", rt, err)}
	}
	if alive {
		return &NotQuiescentError{fmt.Sprintf("runtime %s, which is alive: %s", rt, detail)}
	}
	return nil
}

// NotQuiescentError says what may still touch the session. It wraps ErrNotQuiescent.
type NotQuiescentError struct{ What string }

func (e *NotQuiescentError) Error() string { return ErrNotQuiescent.Error() + ": " + e.What }

// Unwrap returns ErrNotQuiescent.
func (e *NotQuiescentError) Unwrap() error { return ErrNotQuiescent }
