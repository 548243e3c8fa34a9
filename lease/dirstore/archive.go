package dirstore

import (
	"context"
	"errors"
	"slices"

	"holdfast/internal/durable"
	"holdfast/lease"
	"holdfast/ownership"
)

// errMoved is returned when a session changed since it was looked at.
var errMoved error = movedError{}

// movedError is ready before anything runs, unlike an error that is formatted.
type movedError struct{}

func (movedError) Error() string {
	return lease.ErrConflict.Error() + ": the session changed meanwhile"
}
func (movedError) Unwrap() error { return lease.ErrConflict }

// Forget removes rev files whose records the caller has made durable elsewhere (I11).
// The current record's own stays: it is the second name of record.json. Names that are
// gone already are no error. The order:
//
//	load the record: what is in force now
//	fsync the directory: it stays in force, whatever happens, so that nothing that is
//	removed here is needed again; where it is the known revision, whose publish was
//	answered as durable, it does so anyway
//	remove
//
// The removals are not synced: one that is undone by a crash is archived once more.
func (s *Store) Forget(ctx context.Context, d ownership.Digest, revs []ownership.Revision, known ownership.Revision) error {
	v := s.view(d)
	defer v.Close()
	if v.loads() && !v.seen.Vacant() && ctx.Err() == nil {
		dir := s.watched(durable.DirAt(v.at.self, s.SessionPath(d)))
		v.at.self = -1
		return s.forgotten(d, forget(v.seen.Stored, dir, revs, known), dir.Close())
	}
	x, err := s.openSession(d)
	if x == nil {
		return err
	}
	defer x.Close()
	dir, err := s.dir(x.Root)
	if err != nil {
		return err
	}
	current, err := load(ctx, x.Root)
	if err == nil {
		err = forget(current, dir, revs, known)
	}
	return s.forgotten(d, err, dir.Close())
}

func (s *Store) forgotten(d ownership.Digest, errs ...error) error {
	return s.failed("archive", s.at(sessionsName, d.String()), errors.Join(errs...))
}

// forget removes names where current was in force when the directory was open already.
func forget(current lease.Stored, dir durable.Dir, revs []ownership.Revision, known ownership.Revision) error {
	if current.Fault != nil || slices.Contains(revs, current.Revision) {
		return errMoved
	}
	if known.IsZero() || current.Revision != known {
		if err := dir.Sync(); err != nil {
			return err
		}
	}
	for _, r := range revs {
		if err := ignoreMissing(dir.Remove(revName(r))); err != nil {
			return err
		}
	}
	return nil
}

// ForgetStrays removes rev files of records that never came into force, while the
// record whose revision is current is. A publisher gives a record its name in history
// just before it is in force, under the directory's lock: so does this look.
func (s *Store) ForgetStrays(ctx context.Context, d ownership.Digest, current ownership.Revision, revs []ownership.Revision) error {
	x, err := s.openSession(d)
	if x == nil {
		return err
	}
	defer x.Close()
	dir, err := s.dir(x.Root)
	if err != nil {
		return err
	}
	defer dir.Close()
	err = durable.Lock(ctx, dir)
	if err == nil {
		err = errors.Join(forgetWhile(ctx, x, dir, current, revs), dir.Unlock())
	}
	return s.failed("remove strays", s.at(sessionsName, d.String()), err)
}

func forgetWhile(ctx context.Context, x *session, dir durable.Dir, current ownership.Revision, revs []ownership.Revision) error {
	now, err := load(ctx, x.Root)
	if err == nil && now.Revision != current {
		err = errMoved
	}
	if err != nil {
		return err
	}
	return forget(now, dir, revs, ownership.Revision{})
}
