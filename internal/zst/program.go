package zst

import (
	"errors"
	"fmt"
	"os"
	"os/exec"

	"holdfast/internal/beside"
)

// Program is where session-zstd stands, if it does.
type Program struct {
	path string
	err  error // why it is not known
}

// Beside returns the program that is installed together with the running one.
func Beside() Program {
	path, err := beside.Path(Name)
	return Program{path, err}
}

// At returns the program at an absolute path.
func At(path string) Program { return Program{path: path} }

// ProgramError is returned when the program could not be started, or did not do what it was asked for.
type ProgramError struct {
	Path string
	Err  error  // what the system said, or how it ended
	Said string // the end of what it said; or ""
}

func (e *ProgramError) Error() string {
	s := fmt.Sprintf("%q: %v", e.Path, e.Err)
	if e.Said != "" {
		s += ": " + e.Said
	}
	return s
}

// Unwrap returns what the system said.
func (e *ProgramError) Unwrap() error { return e.Err }

// bare returns what the system said of a path, without the path.
func bare(err error) error {
	var path *os.PathError
	var program *exec.Error
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &program):
		return program.Err
	}
	return err
}
