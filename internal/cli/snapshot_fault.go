package cli

import (
	"errors"
	"io/fs"

	"holdfast/admin/evidence"
	"holdfast/lease"
)

// snapshotFault puts an error of a snapshot where the table of exit codes finds it, with its next step. What the
// record or the options name is not the store's, so that only permission and an unknown outcome are told apart.
func snapshotFault(op string, err error) error {
	next := evidence.NextStep(err, "--out")
	if next == "" {
		next = "nothing was changed: run the command again"
	}
	fault := &lease.StoreError{Op: op, Err: err, Advice: next}
	switch {
	case errors.Is(err, lease.ErrOutcomeUnknown): // it names itself
	case errors.Is(err, fs.ErrPermission):
		fault.Kind = lease.ErrPermission
	}
	return &snapshotError{fault, op}
}

// snapshotError is a fault that is not the store's, and that no check of the store explains.
type snapshotError struct {
	*lease.StoreError
	op string // the command, like "snapshot take"
}

func (e *snapshotError) Unwrap() error { return e.StoreError }

func (e *snapshotError) next() []lease.Next {
	return (&usageError{command: "session " + e.op}).next()
}
