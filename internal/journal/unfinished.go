package journal

import (
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"holdfast/internal/durable"
)

// Fate is what becomes of an unfinished journal.
type Fate int

// A maker that died leaves a file that nobody needs.
const (
	Leave Fate = iota
	Remove
)

// Unfinished returns the paths of journals whose makers died before they were whole,
// and removes them if asked to. One that is being made, by a stopped process too, has
// its lock taken and is left out.
func (j *Journal) Unfinished(fate Fate) (paths []string, err error) {
	root, err := os.OpenRoot(j.dir())
	if err != nil {
		return nil, orEmpty(j.failed(reading, err))
	}
	defer root.Close()
	names, err := namesIn(root)
	for _, name := range names {
		if !j.isTemporary(name) {
			continue
		}
		done, fault := settle(root, name, fate)
		if done {
			paths = append(paths, filepath.Join(j.dir(), name))
		}
		err = errors.Join(err, fault)
	}
	return paths, j.failed(writing, err)
}

func namesIn(root *os.Root) ([]string, error) {
	dir, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	names, err := dir.Readdirnames(-1)
	return names, errors.Join(err, dir.Close())
}

// isTemporary reports whether a name is that of a journal being made.
func (j *Journal) isTemporary(name string) bool {
	rest, ok := strings.CutPrefix(name, j.name()+".")
	b, err := hex.DecodeString(rest)
	return ok && err == nil && len(b) == 8
}

// settle decides under the file's lock, which its maker would have.
func settle(root *os.Root, name string, fate Fate) (dead bool, err error) {
	f, err := root.OpenFile(name, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return false, ignoreMissing(err)
	}
	defer f.Close()
	err = durable.Retry(func() error { return unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB) })
	switch {
	case errors.Is(err, unix.EWOULDBLOCK):
		return false, nil
	case err != nil || fate == Leave:
		return err == nil, err
	}
	return true, ignoreMissing(root.Remove(name))
}
