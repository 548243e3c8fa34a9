package admin

import (
	"errors"
	"io/fs"
	"strconv"
	"strings"

	"holdfast/internal/journal"
	"holdfast/lease"
)

// archiveFault says what a person can do about an archive that cannot be used. Other
// errors stay as they are.
func archiveFault(err error) error {
	var j *journal.Error
	if !errors.As(err, &j) {
		return err
	}
	fault := &lease.StoreError{Op: j.Op + " archive", Path: j.Path, Err: j.Err}
	switch {
	case errors.Is(err, journal.ErrDamaged):
		fault.Kind = lease.ErrStoreUnavailable
		fault.Advice = "what is in the sessions' own files is safe and stays there; 'session doctor' shows the command that puts this file aside and keeps it, and the next archiving begins a new one"
	case errors.Is(err, journal.ErrLocked):
		fault.Kind = lease.ErrStoreUnavailable
		fault.Advice = "a use of the archive takes milliseconds: see why that process does not go on, and try again"
	case errors.Is(err, fs.ErrPermission):
		fault.Kind = lease.ErrPermission
		fault.Advice = "it is yours, and its mode allows it: see what else the system refuses it for"
		if mend, ok := mendAccess(j.Path); ok {
			fault.Advice = mend.Why + ": " + strings.Join(mend.Argv[:len(mend.Argv)-1], " ") + " " + strconv.Quote(mend.Argv[len(mend.Argv)-1])
		}
	}
	return fault
}
