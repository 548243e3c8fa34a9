package admin

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"holdfast/internal/durable"
	"holdfast/lease"
)

// mendAccess returns the command that lets this user use a file of the store, or its
// directory where there is no such file yet; false where neither owner nor mode is in
// the way. A link is not touched: the command would change what it points to.
func mendAccess(path string) (lease.Next, bool) {
	e, err := entryAt(path)
	if errors.Is(err, fs.ErrNotExist) {
		path = filepath.Dir(path)
		e, err = entryAt(path)
	}
	self := os.Geteuid()
	switch {
	case err != nil || e.Mode&fs.ModeSymlink != 0:
		return lease.Next{}, false
	case e.UID != uint32(self):
		return lease.Next{Why: "give it to this user", Argv: []string{"sudo", "chown", strconv.Itoa(self), path}, ChangesState: true}, true
	case !e.Mode.IsDir() && e.Mode&durable.FileMode != durable.FileMode:
		return lease.Next{Why: "set its mode", Argv: []string{"chmod", fmt.Sprintf("%04o", durable.FileMode), path}, ChangesState: true}, true
	case e.Mode.IsDir() && e.Mode&durable.DirMode != durable.DirMode:
		return lease.Next{Why: "set its mode", Argv: []string{"chmod", fmt.Sprintf("%04o", durable.DirMode), path}, ChangesState: true}, true
	}
	return mendDirectory(path, e)
}

func entryAt(path string) (durable.Entry, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return durable.Entry{}, err
	}
	return durable.EntryOf(info), nil
}

// mendDirectory looks one level up: a file as it should be may lie in a directory that
// lets nobody in.
func mendDirectory(path string, e durable.Entry) (lease.Next, bool) {
	if e.Mode.IsDir() {
		return lease.Next{}, false
	}
	return mendAccess(filepath.Dir(path))
}
