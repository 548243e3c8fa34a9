package admin

import (
	"errors"

	"holdfast/lease"
)

// UnknownOutcome is the error beside a session whose recovery by a pass may or may not be in
// force (I9). It wraps [lease.ErrOutcomeUnknown]. The next pass goes by what it finds then and
// has nothing to tell the two apart by: what is in force is idle to it, like any other.
type UnknownOutcome struct {
	*lease.StoreError
	Next []lease.Next // returns the receipt if the recovery took effect, and recovers if not
}

// Unwrap returns what the store said.
func (e *UnknownOutcome) Unwrap() error { return e.StoreError }

// asked makes of an unknown outcome of r, in a pass, one that a person can ask about: in a
// name of their own.
func (r Recovery) asked(i lease.Inspection, err error) error {
	var store *lease.StoreError
	if !errors.Is(err, lease.ErrOutcomeUnknown) || !errors.As(err, &store) {
		return err
	}
	e := &UnknownOutcome{StoreError: &lease.StoreError{Op: store.Op, Err: store.Err}}
	e.Advice = "another pass does not tell whether it took effect: ask for the receipt"
	r.Actor, r.Reason = "", ""
	e.Next = []lease.Next{{Why: "return the receipt if it took effect, and recover if it did not", Argv: r.argv(i), ChangesState: true}}
	return e
}
