// Package beside finds the programs that are installed together with this one.
//
// They are looked for in the directory of the running program only: what is elsewhere on the
// PATH may be anybody's.
package beside

import (
	"errors"
	"os"
	"path/filepath"
)

// Path returns where the program of that name stands if it was installed. Whether it is
// there, the system says when it is started. With an error, the path is what is known of it.
func Path(name string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return name, err
	}
	path := filepath.Join(filepath.Dir(self), name)
	if path == self {
		return path, errors.New("what has this name is another command")
	}
	return path, nil
}
