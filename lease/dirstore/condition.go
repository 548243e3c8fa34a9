package dirstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"holdfast/internal/durable"
	"holdfast/lease"
	"holdfast/ownership"
)

// Condition is how far a directory has become a store.
type Condition string

// A half-made store has nothing in it but our own names and lacks the marker. It may
// hold records all the same: the marker can be seen, and used, before it is durable.
const (
	Missing  Condition = "missing"
	HalfMade Condition = "half-made"
	Complete Condition = "complete"
	Foreign  Condition = "foreign"
)

// conditionOf looks at a directory, and lists what is in it that is not ours.
func conditionOf(root *os.Root) (Condition, []string, error) {
	_, err := lstatRegular(root, markerName)
	var irregular *irregularError
	switch {
	case err == nil:
		return Complete, nil, nil
	case errors.As(err, &irregular):
		return Foreign, []string{markerName}, nil
	case !missing(err):
		return "", nil, err
	}
	foreign, err := foreignNames(root)
	if len(foreign) > 0 {
		return Foreign, foreign, err
	}
	return HalfMade, nil, err
}

// foreignNames lists what a directory has besides the names of a store.
func foreignNames(root *os.Root) ([]string, error) {
	names, err := namesIn(root)
	if err != nil {
		return nil, err
	}
	var foreign []string
	for _, name := range names {
		ok, err := isOurs(root, name)
		if err != nil {
			return nil, err
		}
		if !ok {
			foreign = append(foreign, name)
		}
	}
	return foreign, nil
}

// isOurs reports whether a name in the store's directory is one of a store's, down to
// what it contains: "sessions" is a common word.
func isOurs(root *os.Root, name string) (bool, error) {
	switch name {
	case markerName, journalName:
		_, err := lstatRegular(root, name)
		return err == nil, nil
	case sessionsName:
		return hasOnly(root, name, isDigest)
	case quarantineName:
		return hasOnly(root, name, isQuarantineName)
	}
	return false, nil
}

func isDigest(name string) bool {
	_, err := ownership.ParseDigest(name)
	return err == nil
}

func hasOnly(root *os.Root, name string, ours func(string) bool) (bool, error) {
	dir, err := durable.OpenRoot(root, name)
	if errors.Is(err, fs.ErrPermission) {
		return false, &fs.PathError{Op: "open", Path: filepath.Join(root.Name(), name), Err: fs.ErrPermission}
	}
	if err != nil {
		return false, nil
	}
	defer dir.Close()
	names, err := namesIn(dir)
	for _, n := range names {
		if !ours(n) {
			return false, err
		}
	}
	return true, err
}

func namesIn(root *os.Root) ([]string, error) {
	f, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	names, err := f.Readdirnames(-1)
	return names, errors.Join(err, f.Close())
}

// checkOwn refuses a store that is not the caller's alone, or could not be looked at.
func (s *Store) checkOwn(store durable.Entry, err error) error {
	if err != nil {
		return s.failed("open store", s.path, err)
	}
	if store.UID != uint32(os.Geteuid()) {
		return foreignOwner("open store", s.path, store.UID)
	}
	if store.Mode.Perm()&0o022 != 0 {
		return &lease.StoreError{
			Kind: lease.ErrPermission, Op: "open store", Path: s.path,
			Err:    fmt.Errorf("its mode %04o lets other users write to it", store.Mode.Perm()),
			Advice: fmt.Sprintf("chmod go-w %q", s.path),
		}
	}
	return nil
}

// checkCondition refuses a directory that is no store and none in the making.
func (s *Store) checkCondition(root *os.Root) error {
	condition, foreign, err := conditionOf(root)
	if err != nil {
		path := s.path
		var about *fs.PathError
		if errors.As(err, &about) && filepath.IsAbs(about.Path) {
			path = about.Path
		}
		return s.failed("open store", path, err)
	}
	if condition != Foreign {
		return nil
	}
	return &lease.StoreError{
		Kind: lease.ErrStoreUnavailable, Op: "open store", Path: s.path,
		Err:    fmt.Errorf("this directory is no store, and it is not empty: it has %q", foreign[0]),
		Advice: "name a directory that does not exist yet, or an empty one",
	}
}
