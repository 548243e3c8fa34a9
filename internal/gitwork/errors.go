package gitwork

import (
	"errors"
	"fmt"
	"strings"
)

// What callers branch on, through errors.Is.
var (
	// ErrNotRepository is returned for a directory that is not the top of a git working tree.
	ErrNotRepository = errors.New("not the top of a git working tree")
	// ErrNoGit is returned where no usable git is installed.
	ErrNoGit = errors.New("git is not installed")
	// ErrUnreadable is returned when something in the source may not be read.
	ErrUnreadable = errors.New("not readable")
	// ErrUnsupported is returned for a repository of a kind that cannot be read faithfully.
	ErrUnsupported = errors.New("not supported")
	// ErrDamaged is returned when git cannot make sense of what is there. Capture goes on where it can.
	ErrDamaged = errors.New("damaged repository")
	// ErrEndless is returned when a git did not end in the time that any answer takes. Capture goes on where it can.
	ErrEndless = errors.New("git does not end")
	// ErrPacker is returned when session-zstd, which this needs, is not there or does not do its work.
	ErrPacker = errors.New("session-zstd is missing or failed")
	// ErrTargetInUse is returned when the directory to write into has something in it.
	ErrTargetInUse = errors.New("target in use")
	// ErrEvidence is returned when captured evidence is incomplete or does not agree with itself.
	ErrEvidence = errors.New("evidence does not verify")
	// ErrRestoreDiffers is returned when what was restored is not what was captured.
	ErrRestoreDiffers = errors.New("restored tree differs")
)

// Error says what a look at a repository failed on and what a person can do about it.
type Error struct {
	Kind error  // one of the sentinels
	Path string // what it was about
	Err  error  // what the system said, or nil
	Next string // the next step
}

func (e *Error) Error() string {
	s := fmt.Sprintf("%q: %v", e.Path, e.Kind)
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

// GitError is returned when git ended with an error.
type GitError struct {
	Args   []string // after the options that every call gets
	Stderr string   // the end of what it said
	Err    error
}

func (e *GitError) Error() string {
	return fmt.Sprintf("git %s: %v: %s", strings.Join(e.Args, " "), e.Err, strings.TrimSpace(e.Stderr))
}

// Unwrap returns what the system said of the process.
func (e *GitError) Unwrap() error { return e.Err }

func notRepository(path, next string, err error) *Error {
	return &Error{Kind: ErrNotRepository, Path: path, Err: err, Next: next}
}

// unreadable returns the error for a part of the source that could not be read.
func unreadable(path string, err error) error {
	return &Error{
		Kind: ErrUnreadable, Path: path, Err: err,
		Next: "run the command as the owner of that file, or make it readable for this user",
	}
}

func damaged(path string, err error) error {
	return &Error{
		Kind: ErrDamaged, Path: path, Err: err,
		Next: "take a snapshot first: it keeps the bytes as they are; then look with `git fsck`",
	}
}

func endless(path string, err error) error {
	return &Error{
		Kind: ErrEndless, Path: path, Err: err,
		Next: "look whether a file system below it does not answer, or a pipe is where a file should be, then try again",
	}
}

func badEvidence(path, format string, args ...any) error {
	return &Error{
		Kind: ErrEvidence, Path: path, Err: fmt.Errorf(format, args...),
		Next: "compare it with MANIFEST.sha256, and use another copy of this evidence",
	}
}
