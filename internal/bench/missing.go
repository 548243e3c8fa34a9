package main

import (
	"errors"
	"fmt"
	"os/exec"
)

// missingError is returned by a row that needs something which this machine does not
// have. Such a row is left out, loudly; it did not fail.
type missingError string

func (what missingError) Error() string { return string(what) }

// tool finds a program that somebody else makes, or says which package has it.
func tool(name, pkg string) (string, error) {
	path, err := exec.LookPath(name)
	if errors.Is(err, exec.ErrNotFound) {
		return "", missingError(fmt.Sprintf("%s is not installed: apt-get install %s", name, pkg))
	}
	return path, err
}
