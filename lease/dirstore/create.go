package dirstore

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"holdfast/internal/durable"
	"holdfast/ownership"
)

// makeSession opens the directory of a session to write to it, and creates whatever
// of it and of the store does not exist yet.
func (s *Store) makeSession(d ownership.Digest) (*session, error) {
	store, err := s.completeStore()
	if err != nil {
		return nil, err
	}
	x, err := s.sessionIn(store, d)
	if x != nil || err != nil {
		return x, closeOn(err, store)
	}
	if err := s.makeSessionIn(store, d); err != nil {
		return nil, closeOn(s.failed("create session directory", s.at(sessionsName, d.String()), err), store)
	}
	if x, err = s.sessionIn(store, d); x == nil && err == nil {
		err = s.failed("open", s.at(sessionsName, d.String()), fs.ErrNotExist)
	}
	return x, closeOn(err, store)
}

// closeOn closes root if there is an error.
func closeOn(err error, root *os.Root) error {
	if err == nil {
		return nil
	}
	return errors.Join(err, root.Close())
}

// makeSessionIn leaves the durability of the new name to the first publish, which
// syncs sessions/ whenever the session was vacant.
func (s *Store) makeSessionIn(store *os.Root, d ownership.Digest) error {
	parent, err := s.dir(store)
	if err != nil {
		return err
	}
	defer parent.Close()
	sessions, err := parent.OpenDir(sessionsName)
	if err != nil {
		return err
	}
	defer sessions.Close()
	self, err := makeDir(sessions, d.String())
	if err != nil {
		return err
	}
	return self.Close()
}

// completeStore opens the store and creates whatever of it is missing.
func (s *Store) completeStore() (*os.Root, error) {
	root, err := s.openStore()
	if err != nil || root != nil && isComplete(root) {
		return root, err
	}
	if root != nil {
		if err := root.Close(); err != nil {
			return nil, err
		}
	}
	if err := s.create(); err != nil {
		return nil, s.failed("create store", s.path, err)
	}
	if root, err = s.openStore(); root == nil && err == nil {
		err = s.failed("open store", s.path, fs.ErrNotExist)
	}
	return root, err
}

func isComplete(root *os.Root) bool {
	for _, name := range []string{markerName, sessionsName, quarantineName} {
		if _, err := root.Lstat(name); err != nil {
			return false
		}
	}
	return true
}

// create makes a store, or completes a half-made one with every sync of its creation
// repeated: whoever began may have died before any of them. The order:
//
//	the directories above the store, and the store
//	sessions/ and quarantine/, synced
//	the store, synced, and every directory above that may be new
//	the marker, synced, and the store again
//
// Several may do this at once: each step takes what it finds.
func (s *Store) create() error {
	store, err := s.makePath()
	if err != nil {
		return err
	}
	defer store.Close()
	if err := makeRooms(store); err != nil {
		return err
	}
	if err := s.syncAbove(); err != nil {
		return err
	}
	return mark(store)
}

// makePath makes the store's directory and those above it.
func (s *Store) makePath() (durable.Dir, error) {
	existing, rest := splitExisting(s.path)
	root, err := os.OpenRoot(existing)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	at, err := s.dir(root)
	if err != nil {
		return nil, err
	}
	defer at.Close()
	if rest == "" {
		return at.OpenDir(".")
	}
	return makeAll(at, strings.Split(rest, "/"))
}

// makeAll makes directories each below the one before and returns the last.
func makeAll(at durable.Dir, names []string) (durable.Dir, error) {
	next, err := makeDir(at, names[0])
	if err != nil || len(names) == 1 {
		return next, err
	}
	defer next.Close()
	return makeAll(next, names[1:])
}

// splitExisting returns the longest prefix of path that exists, and the rest.
func splitExisting(path string) (existing, rest string) {
	for {
		if _, err := os.Lstat(path); err == nil || path == filepath.Dir(path) {
			return path, rest
		}
		rest = filepath.Join(filepath.Base(path), rest)
		path = filepath.Dir(path)
	}
}

// makeDir makes a directory, or takes the one that is there.
func makeDir(parent durable.Dir, name string) (durable.Dir, error) {
	err := parent.Mkdir(name)
	if err == nil {
		err = parent.Chmod(name, durable.DirMode)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return parent.OpenDir(name)
}

func makeRooms(store durable.Dir) error {
	for _, name := range []string{sessionsName, quarantineName} {
		room, err := makeDir(store, name)
		if err != nil {
			return err
		}
		if err := errors.Join(room.Sync(), room.Close()); err != nil {
			return err
		}
	}
	return store.Sync()
}

// mark makes the marker, the last step.
func mark(store durable.Dir) error {
	f, err := store.Create(markerName)
	if errors.Is(err, fs.ErrExist) {
		return store.Sync()
	}
	if err != nil {
		return err
	}
	if err := errors.Join(f.Chmod(durable.FileMode), f.Sync(), f.Close()); err != nil {
		return err
	}
	return store.Sync()
}

// syncAbove makes the names of the directories above the store durable as far as they
// can be new: those that are ours, and the first that is not, on one file system.
func (s *Store) syncAbove() error {
	device, err := deviceOf(s.path)
	if err != nil {
		return err
	}
	for at := filepath.Dir(s.path); ; at = filepath.Dir(at) {
		e, err := lstat(at)
		if err != nil {
			return err
		}
		if e.ID.Device != device {
			return nil
		}
		ours := e.UID == uint32(os.Geteuid())
		err = s.syncDir(at)
		if !ours && errors.Is(err, fs.ErrPermission) {
			return nil
		}
		if err != nil || !ours || at == filepath.Dir(at) {
			return err
		}
	}
}

func (s *Store) syncDir(path string) error {
	root, err := os.OpenRoot(path)
	if err != nil {
		return err
	}
	defer root.Close()
	dir, err := s.dir(root)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

func lstat(path string) (durable.Entry, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return durable.Entry{}, err
	}
	return durable.EntryOf(info), nil
}

func deviceOf(path string) (uint64, error) {
	e, err := lstat(path)
	return e.ID.Device, err
}
