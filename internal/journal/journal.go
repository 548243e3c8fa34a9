package journal

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"
)

// LockWait is how long an operation waits for another process that uses the file. A
// batch takes milliseconds.
const LockWait = 3 * time.Second

// What callers branch on, through errors.Is.
var (
	// ErrDamaged is returned for a file that is not a journal, or not a whole one.
	ErrDamaged = errors.New("damaged")
	// ErrLocked is returned when another process kept the file's lock for [LockWait].
	ErrLocked = errors.New("in use")
)

// Error says what could not be done with a journal. It wraps ErrDamaged, ErrLocked or
// what the system said.
type Error struct {
	Path string
	Op   string // read or write
	Err  error
}

func (e *Error) Error() string { return fmt.Sprintf("%s archive %q: %v", e.Op, e.Path, e.Err) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

// Journal is the archive of one store. It may be used by several goroutines.
type Journal struct{ path string }

// At returns the journal at a path, which need not exist: the first Append creates it.
// The directory is the store's and must exist then.
func At(path string) *Journal { return &Journal{filepath.Clean(path)} }

// Path returns where the journal is.
func (j *Journal) Path() string { return j.path }

func (j *Journal) dir() string  { return filepath.Dir(j.path) }
func (j *Journal) name() string { return filepath.Base(j.path) }

// access is what an operation wants of the file.
type access int

const (
	reading access = iota
	writing
)

func (a access) String() string {
	if a == writing {
		return "write"
	}
	return "read"
}

func (j *Journal) failed(a access, err error) error {
	var known *Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	return &Error{Path: j.path, Op: a.String(), Err: err}
}
