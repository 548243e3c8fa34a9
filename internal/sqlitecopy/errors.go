package sqlitecopy

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// What callers branch on, through errors.Is.
var (
	// ErrMissing is returned when there is no such file.
	ErrMissing = errors.New("no such database")
	// ErrUnreadable is returned when the source, or a file of it, may not or cannot be read.
	ErrUnreadable = errors.New("not readable")
	// ErrNotRegular is returned for a link, directory, FIFO, socket or device in the place of a file of the source.
	ErrNotRegular = errors.New("not a regular file")
	// ErrBusy is returned when no moment was found in which the source stood still.
	ErrBusy = errors.New("tracker busy")
	// ErrOpenHere is returned when this very process has the source open for writing.
	ErrOpenHere = errors.New("open for writing in this process")
	// ErrUnsupported is returned where the locks of SQLite cannot be asked for, and are needed.
	ErrUnsupported = errors.New("locks cannot be asked for here")
	// ErrNotDatabase is returned, with what was taken, for a source that SQLite does not know: garbage, or encrypted.
	ErrNotDatabase = errors.New("not a database")
	// ErrTargetInUse is returned when the directory to write into has one of our names in it.
	ErrTargetInUse = errors.New("target in use")
	// ErrTarget is returned when the copy cannot be written.
	ErrTarget = errors.New("copy cannot be written")
)

// Error says why no copy was taken and what a person can do about it.
type Error struct {
	Kind error  // one of the sentinels
	Path string // what it was about
	Err  error  // what the system or SQLite said, or nil
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

func missing(path string) error {
	return &Error{Kind: ErrMissing, Path: path, Err: fs.ErrNotExist,
		Next: "give the path of the database with --tracker"}
}

// unreadable returns the error for a part of the source that could not be opened or read.
func unreadable(path string, err error) error {
	if errors.Is(err, syscall.ELOOP) {
		return notRegular(path, errors.New("it is a symbolic link, or there are too many on the way"),
			"give the path of the file itself with --tracker")
	}
	return &Error{Kind: ErrUnreadable, Path: path, Err: err,
		Next: "run the command as the owner of that file, or make it readable for this user"}
}

func notRegular(path string, why error, next string) error {
	return &Error{Kind: ErrNotRegular, Path: path, Err: why, Next: next}
}

func inUseHere(path string) error {
	return &Error{Kind: ErrOpenHere, Path: path,
		Next: "close the database first, or take the copy from a process of its own: session snapshot take"}
}

func unsupported(path string, err error) error {
	return &Error{Kind: ErrUnsupported, Path: path, Err: err,
		Next: "stop every program that uses the database, then take the copy again"}
}

// unwritable returns the error for a part of the copy.
func unwritable(path string, err error) error {
	next := "give another target with --out"
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		next = "free space there, or give a target on another file system with --out"
	}
	return &Error{Kind: ErrTarget, Path: path, Err: err, Next: next}
}
