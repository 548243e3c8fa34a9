package dirstore

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"holdfast/internal/durable"
	"holdfast/lease"
	"holdfast/ownership"
)

// openStore opens the store; nil where there is none.
func (s *Store) openStore() (root *os.Root, err error) {
	err = patiently(func() error {
		root, err = s.tryOpenStore()
		return err
	})
	return root, err
}

func (s *Store) tryOpenStore() (*os.Root, error) {
	info, err := os.Lstat(s.path)
	if missing(err) {
		return nil, s.moved()
	}
	if err == nil && !info.IsDir() {
		err = unix.ENOTDIR
	}
	if err != nil {
		return nil, s.failed("open store", s.path, err)
	}
	root, err := os.OpenRoot(s.path)
	if err != nil {
		return nil, s.failed("open store", s.path, err)
	}
	if !s.lenient {
		err = s.checkOwn(entryOf(root))
	}
	if err == nil {
		err = s.checkCondition(root)
	}
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	s.met.Store(true)
	return root, nil
}

// moved is the error of a path without a store where there was one before.
func (s *Store) moved() error {
	if !s.met.Load() {
		return nil
	}
	return &lease.StoreError{
		Kind: lease.ErrStoreUnavailable, Op: "open store", Path: s.path,
		Err:    errors.New("it was there, and is there no more"),
		Advice: "put the store back, and look at what was being done to it; a new one is not made in its place",
	}
}

func entryOf(root *os.Root) (durable.Entry, error) {
	info, err := root.Stat(".")
	if err != nil {
		return durable.Entry{}, err
	}
	return durable.EntryOf(info), nil
}

// session is the open directory of one session, and those above it.
type session struct {
	*os.Root
	sessions *os.Root
	store    *os.Root
}

func (x *session) Close() error {
	return errors.Join(x.Root.Close(), x.sessions.Close(), x.store.Close())
}

// openSession opens the directory of a session; nil where there is none.
func (s *Store) openSession(d ownership.Digest) (*session, error) {
	store, err := s.openStore()
	if store == nil {
		return nil, err
	}
	x, err := s.sessionIn(store, d)
	if x == nil {
		return nil, errors.Join(err, store.Close())
	}
	return x, nil
}

func (s *Store) sessionIn(store *os.Root, d ownership.Digest) (x *session, err error) {
	err = patiently(func() error {
		x, err = s.trySessionIn(store, d)
		return err
	})
	return x, err
}

func (s *Store) trySessionIn(store *os.Root, d ownership.Digest) (*session, error) {
	sessions, err := durable.OpenRoot(store, sessionsName)
	if missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, s.failed("open", s.at(sessionsName), err)
	}
	self, err := durable.OpenRoot(sessions, d.String())
	switch {
	case missing(err):
		return nil, sessions.Close()
	case err != nil:
		return nil, errors.Join(s.failed("open", s.at(sessionsName, d.String()), err), sessions.Close())
	}
	return &session{self, sessions, store}, nil
}
