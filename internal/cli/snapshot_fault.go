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
	return fault
}
