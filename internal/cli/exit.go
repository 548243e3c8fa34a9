package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"syscall"

	urfave "github.com/urfave/cli/v3"

	"holdfast/admin"
	"holdfast/internal/supervise"
	"holdfast/lease"
	"holdfast/ownership"
)

// exitRow is what a kind of error means to whoever called.
type exitRow struct {
	reason ownership.Reason
	code   int
	test   func(error) bool
	hint   string // what to do, where neither the error nor its inspection says it
}

// exits is the one table that says how an error ends the process. The first row that
// fits counts, so what is worse stands before what it may wrap. Refusals name their
// reason themselves; a row without a test is for them alone, but for the last one,
// which takes what fits nowhere.
var exits = []exitRow{
	{ownership.ReasonOutcomeUnknown, 82, is(lease.ErrOutcomeUnknown), "It may or may not be in force: look before doing it again"},
	{ownership.ReasonOwnershipLost, 81, is(lease.ErrOwnershipLost), "Another owner or a forced recovery may have the session now: look before starting anything"},
	{ownership.ReasonWaitTimeout, 124, is(lease.ErrWaitTimeout), ""},
	{ownership.ReasonNotQuiescent, 83, is(lease.ErrNotQuiescent), "The session is still active: end what is left, then look again"},
	{ownership.ReasonActiveOwner, 75, is(lease.ErrHeld), "Somebody is changing the session at this moment: try again"},
	{ownership.ReasonUnreadableRecord, 65, isUnreadable, ""},
	{ownership.ReasonUsage, 64, isUsage, ""},
	{ownership.ReasonRecoveryRequired, 76, nil, ""},
	{ownership.ReasonRevisionMismatch, 78, is(lease.ErrConflict), "The session changed meanwhile: look at it again"},
	{ownership.ReasonNothingToRecover, 79, nil, ""},
	{ownership.ReasonForceRequired, 80, nil, ""},
	{ownership.ReasonPartial, 84, nil, ""},
	{ownership.ReasonAssertionFailed, 85, nil, ""},
	{ownership.ReasonFindings, 85, nil, ""},
	{ownership.ReasonStoreUnavailable, 69, is(lease.ErrStoreUnavailable), "See what is wrong with the store"},
	{ownership.ReasonPermissionDenied, 77, isPermission, "Use the store as the user to whom it belongs, or another one with --store"},
	{ownership.ReasonIO, 74, isIO, "Nothing was changed: make room or repair what the message names, then try again"},
	{ownership.ReasonInternal, 1, nil, "This is a defect: please report it with the command and this text"},
}

// exitOf returns the row that an error falls under.
func exitOf(err error) exitRow {
	var named *lease.Refusal
	errors.As(err, &named)
	for _, row := range exits {
		if row.test != nil && row.test(err) || named != nil && named.Reason == row.reason {
			return row
		}
	}
	return exits[len(exits)-1]
}

// exit says why there is no answer, if so, and returns the exit code.
func (v *invocation) exit(err error) int {
	v.complain(err)
	if fault := v.answerFault(); fault != nil {
		return v.undelivered(fault)
	}
	return codeFor(err)
}

// codeFor returns the exit code that an error stands for.
func codeFor(err error) int {
	var own *exitAs
	var told *answered
	switch {
	case err == nil:
		return 0
	case errors.As(err, &own):
		return own.code
	case errors.As(err, &told):
		return codeOf(told.reason)
	}
	return exitOf(err).code
}

// complain tells what went wrong, unless that was told already.
func (v *invocation) complain(err error) {
	var own *exitAs
	var told *answered
	switch {
	case err == nil || errors.As(err, &own) && own.err == nil:
	case errors.As(err, &told):
		v.remark("%s", told.message)
	default:
		v.refuse(v.explain(err))
	}
}

// answerFault returns why the answer could not be written: on standard output, or where
// JSON goes.
func (v *invocation) answerFault() error {
	if fault := v.stdout.failure(); fault != nil || !v.json {
		return fault
	}
	return v.refusalsTo().failure()
}

// undelivered ends a run whose answer could not be written (I9).
func (v *invocation) undelivered(fault error) int {
	switch {
	case v.published:
		v.remark("the answer could not be written: %v; what was asked is in force", fault)
		return codeOf(ownership.ReasonOutcomeUnknown)
	case !errors.Is(fault, syscall.EPIPE): // a reader that has seen enough needs no remark
		v.remark("the answer could not be written: %v; nothing was changed", fault)
	}
	return codeOf(ownership.ReasonIO)
}

func codeOf(r ownership.Reason) int {
	for _, row := range exits {
		if row.reason == r {
			return row.code
		}
	}
	return 1
}

// exitAs is an error whose exit code is not the table's: with no err, the status of
// what was run, with nothing to say about it; else the code that a person chose for
// err.
type exitAs struct {
	code int
	err  error
}

func (e *exitAs) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.code)
	}
	return e.err.Error()
}

func (e *exitAs) Unwrap() error { return e.err }

// answered ends a command whose answer already holds what went wrong.
type answered struct {
	reason  ownership.Reason
	message string
}

func (e *answered) Error() string { return e.message }

func is(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

// isUsage holds for what the caller typed and no store ever saw.
func isUsage(err error) bool {
	var usage *usageError
	var key *ownership.KeyError
	var row *admin.RowError
	var field *ownership.FieldError
	var library urfave.ExitCoder
	var program *exec.ExitError // has the method of the library's errors, and is none of them
	return isNoCommand(err) || errors.As(err, &usage) || errors.As(err, &key) || errors.As(err, &row) || errors.As(err, &field) || errors.As(err, &library) && !errors.As(err, &program)
}

// isNoCommand holds for a command that could not be started, unless the release that
// followed failed as well, which is worse.
func isNoCommand(err error) bool {
	var store *lease.StoreError
	none := errors.Is(err, supervise.ErrNotFound) || errors.Is(err, supervise.ErrNotExecutable)
	return none && !errors.As(err, &store)
}

// isUnreadable holds for bytes in the place of a record, wherever that was.
func isUnreadable(err error) bool {
	var format *ownership.FormatError
	return errors.As(err, &format)
}

func isPermission(err error) bool {
	return errors.Is(err, lease.ErrPermission) || errors.Is(err, fs.ErrPermission)
}

func isIO(err error) bool {
	var store *lease.StoreError
	var path *fs.PathError
	var number syscall.Errno
	return errors.As(err, &store) || errors.As(err, &path) || errors.As(err, &number)
}
