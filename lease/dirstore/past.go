package dirstore

import (
	"context"
	"fmt"
	"iter"

	"holdfast/lease"
	"holdfast/ownership"
)

// Past follows previousRevision from record.json through the rev files. One that the
// chain does not name is a publish that did not happen. The chain ends at a file that
// is not there: it is the first record, archived, or in quarantine.
func (s *Store) Past(ctx context.Context, d ownership.Digest) iter.Seq2[lease.Stored, error] {
	return func(yield func(lease.Stored, error) bool) {
		err := s.past(ctx, d, func(p lease.Stored) bool { return yield(p, nil) })
		if err != nil {
			yield(lease.Stored{}, s.failed("read history", s.at(sessionsName, d.String()), err))
		}
	}
}

func (s *Store) past(ctx context.Context, d ownership.Digest, yield func(lease.Stored) bool) error {
	x, err := s.openSession(d)
	if x == nil {
		return err
	}
	defer x.Close()
	at, err := load(ctx, x.Root)
	if err != nil || at.Vacant() {
		return err
	}
	for {
		reading := at.Reading(d)
		if reading.Fault != nil {
			return fmt.Errorf("it cannot be followed beyond revision %s: %w", at.Revision, reading.Fault)
		}
		previous := reading.Record.PreviousRevision
		if previous == nil {
			return nil
		}
		at, err = readPast(ctx, x, *previous)
		if err != nil || at.Vacant() || !yield(at) {
			return err
		}
	}
}

// readPast returns the zero value for a revision that has no file here.
func readPast(ctx context.Context, x *session, r ownership.Revision) (lease.Stored, error) {
	stored, err := readNamed(ctx, x.Root, revName(r))
	if err != nil {
		return lease.Stored{}, ignoreMissing(err)
	}
	if stored.Revision != r {
		return lease.Stored{}, fmt.Errorf("%s has other bytes than its name says: revision %s", revName(r), stored.Revision)
	}
	return stored, nil
}
