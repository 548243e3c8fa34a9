package dirstore

import (
	"context"
	"errors"
	"path"

	"holdfast/internal/durable"
	"holdfast/lease"
	"holdfast/ownership"
)

// SetAside moves a rev file that does not hold the record of its name into quarantine/,
// byte for byte, and returns its path there. A file that cannot be read stays, and so
// does everything of a session whose record cannot. The order, under the directory's
// lock:
//
//	load the record and look at the file again
//	fsync the file; link it into quarantine/; fsync that: its bytes are kept
//	remove the rev file's name
//
// Something else than a file is exchanged into its place. Killed in between, both names
// are there, and the next time finishes it.
func (s *Store) SetAside(ctx context.Context, d ownership.Digest, r ownership.Revision) (kept string, err error) {
	const op = "set aside"
	x, err := s.openSession(d)
	if x == nil {
		return "", err
	}
	defer x.Close()
	a := asider{store: s, x: x, digest: d, name: revName(r)}
	if a.dir, err = s.dir(x.Root); err != nil {
		return "", s.failed(op, s.RevPath(d, r), err)
	}
	defer a.dir.Close()
	if a.root, err = s.dir(x.store); err != nil {
		return "", s.failed(op, s.RevPath(d, r), err)
	}
	defer a.root.Close()
	err = durable.Lock(ctx, a.dir)
	if err == nil {
		kept, err = a.move(ctx, r)
		err = errors.Join(err, a.dir.Unlock())
	}
	return kept, s.failed(op, s.RevPath(d, r), err)
}

// asider sets one file aside.
type asider struct {
	store     *Store
	x         *session
	digest    ownership.Digest
	name      string
	dir, root durable.Dir // the session's and the store's
}

// move looks again: what is published meanwhile may have replaced the file.
func (a asider) move(ctx context.Context, r ownership.Revision) (string, error) {
	current, err := load(ctx, a.x.Root)
	if err != nil {
		return "", err
	}
	_, err = readRev(ctx, a.x.Root, a.digest, r)
	var bad *badError
	switch {
	case err != nil && !errors.As(err, &bad):
		return "", err
	case err == nil, current.Reading(a.digest).Fault != nil:
		return "", errMoved
	}
	kept, err := a.keep(ctx, bad)
	if err == nil && current.Revision == r {
		err = giveSecondName(a.dir, r) // the record itself is whole
	}
	return kept, err
}

func (a asider) keep(ctx context.Context, bad *badError) (string, error) {
	var irregular *irregularError
	if errors.As(bad, &irregular) {
		return a.exchange(faulty(irregular.Error()))
	}
	f, err := openRegular(a.x.Root, a.name)
	if err != nil {
		return "", err
	}
	stored, err := readStored(ctx, f)
	if err == nil {
		err = a.store.syncFile(a.name, f)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	q := a.shelf(stored)
	name, err := q.keep(func(name string) error { return a.root.Link(a.inSession(), name) })
	if err != nil {
		return "", err
	}
	return a.store.at(name), a.dir.Remove(a.name)
}

func (a asider) shelf(s lease.Stored) shelf { return shelf{a.x.store, a.root, a.digest, s.Revision} }

func (a asider) inSession() string { return path.Join(sessionsName, a.digest.String(), a.name) }

// exchange puts an empty file in the place of what is no file.
func (a asider) exchange(s lease.Stored) (string, error) {
	q := a.shelf(s)
	name, err := q.firstName(func(name string) error {
		f, err := a.root.Create(name)
		if err != nil {
			return err
		}
		return f.Close()
	})
	if err != nil {
		return "", err
	}
	if err := a.root.Exchange(name, a.inSession()); err != nil {
		return "", errors.Join(err, a.root.Remove(name))
	}
	if err := errors.Join(q.sync(), a.dir.Remove(a.name)); err != nil {
		return "", err
	}
	return a.store.at(name), nil
}
