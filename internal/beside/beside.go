// Package beside finds the programs that are installed together with this one.
//
// They are looked for in the directory of the running program only: what is elsewhere on the
// PATH may be anybody's. So may be what is there, where others may create files in that
// directory: a program has to belong to root, to the user, or to whom this one belongs.
package beside

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"holdfast/internal/durable"
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
	return path, trusted(path, self)
}

// trusted refuses what somebody else put beside us, a link too. What cannot be looked at,
// the system will not start.
func trusted(path, self string) error {
	own, err := os.Stat(self)
	if err != nil {
		return err
	}
	ours := []uint32{0, uint32(os.Geteuid()), durable.EntryOf(own).UID}
	for _, look := range []func(string) (fs.FileInfo, error){os.Lstat, os.Stat} {
		info, err := look(path)
		if err != nil {
			return nil
		}
		e := durable.EntryOf(info)
		switch {
		case !slices.Contains(ours, e.UID):
			return fmt.Errorf("it belongs to user %d, who did not install this program", e.UID)
		case e.Mode.IsRegular() && e.Mode&0o002 != 0:
			return errors.New("anybody may write to it")
		}
	}
	return nil
}
