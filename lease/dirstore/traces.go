package dirstore

import (
	"context"
	"errors"

	"holdfast/lease"
	"holdfast/ownership"
)

// Traces looks at the names and the history that are left of a session. A lock that
// cannot be asked is an error, since it may be held.
func (s *Store) Traces(ctx context.Context, d ownership.Digest) (lease.Traces, error) {
	x, err := s.openSession(d)
	if x == nil {
		return lease.Traces{}, err
	}
	defer x.Close()
	names, err := namesIn(x.Root)
	if err != nil {
		return lease.Traces{}, s.failed("read", x.Name(), err)
	}
	var t lease.Traces
	for _, name := range names {
		if err := s.trace(ctx, x, name, &t); err != nil {
			return lease.Traces{}, s.failed("look for traces in", s.at(sessionsName, d.String(), name), err)
		}
	}
	return t, nil
}

func (s *Store) trace(ctx context.Context, x *session, name string, t *lease.Traces) error {
	if lock, g, ok := lockOf(name); ok {
		t.Highest = max(t.Highest, g)
		state, err := s.askLock(x.Root, name)
		if state == lockHeld {
			t.Held = append(t.Held, lease.HeldLock{Lock: lock, Generation: g})
		}
		return err
	}
	if g, ok := generationName(name, nextPrefix, jsonSuffix); ok {
		t.Highest = max(t.Highest, g)
	}
	if r, ok := revisionName(name); ok {
		g, err := generationOf(ctx, x, r)
		t.Highest = max(t.Highest, g)
		return err
	}
	return nil
}

// lockOf takes the name of a lock file apart.
func lockOf(name string) (ownership.Lock, ownership.Generation, bool) {
	if g, ok := generationName(name, lifePrefix, ""); ok {
		return ownership.LifeLock, g, true
	}
	g, ok := generationName(name, kinPrefix, "")
	return ownership.KinLock, g, ok
}

// generationOf returns the generation of a record in history, and 0 for a file that
// holds none: it is evidence only (I12).
func generationOf(ctx context.Context, x *session, r ownership.Revision) (ownership.Generation, error) {
	stored, err := readNamed(ctx, x.Root, revName(r))
	var irregular *irregularError
	if errors.As(err, &irregular) || missing(err) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	record, err := ownership.Decode(stored.Bytes)
	if err != nil {
		return 0, nil
	}
	return record.Generation, nil
}
