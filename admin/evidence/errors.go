package evidence

import (
	"errors"
	"fmt"
	"strings"

	"holdfast/internal/gitwork"
	"holdfast/internal/sqlitecopy"
)

// What callers branch on, through errors.Is.
var (
	// ErrTarget is returned for a directory that no snapshot, or no restored tree, can be written to.
	ErrTarget = errors.New("target cannot be used")
	// ErrSpace is returned where a snapshot would probably not fit.
	ErrSpace = errors.New("not enough space")
	// ErrSource is returned when something that was to be kept is not there, or is not what it was said to be.
	ErrSource = errors.New("source cannot be kept")
	// ErrNothing is returned when there is nothing to keep, or to restore.
	ErrNothing = errors.New("nothing is there")
	// ErrDiffers is returned for evidence that is not what its manifest says.
	ErrDiffers = errors.New("evidence does not verify")
)

// Error says what a snapshot failed on and what a person can do about it. Errors about a worktree or a tracker are
// those of packages gitwork and sqlitecopy; see [NextStep].
type Error struct {
	Kind error  // one of the sentinels
	Path string // what it was about; "" where Err says so
	Err  error  // what the system said, or nil
	Next string // the next step
}

func (e *Error) Error() string {
	s := e.Kind.Error()
	if e.Path != "" {
		s = fmt.Sprintf("%q: %v", e.Path, e.Kind)
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

// DiffersError is returned for evidence that must not be used. It wraps [ErrDiffers].
type DiffersError struct{ Verification Verification }

func (e *DiffersError) Error() string {
	first := e.Verification.Differences[0]
	return fmt.Sprintf("%q: %v: %q: %s (%d such)", e.Verification.Dir, ErrDiffers, first.Path, first.What, len(e.Verification.Differences))
}

// Unwrap returns ErrDiffers.
func (e *DiffersError) Unwrap() error { return ErrDiffers }

// outFlag is the option of the command line in the next steps of this package.
const outFlag = "--out"

// NextStep returns what a person can do about an error of this package, or "". The flag is the option by which they
// name the directory of a snapshot.
func NextStep(err error, flag string) string { return strings.ReplaceAll(nextStep(err), outFlag, flag) }

func nextStep(err error) string {
	var own *Error
	var git *gitwork.Error
	var tracker *sqlitecopy.Error
	switch {
	case errors.As(err, &own):
		return own.Next
	case errors.As(err, &git):
		return git.Next
	case errors.As(err, &tracker):
		return tracker.Next
	}
	return ""
}
