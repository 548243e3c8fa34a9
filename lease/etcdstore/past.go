package etcdstore

import (
	"context"
	"fmt"
	"iter"

	"holdfast/lease"
	"holdfast/ownership"
)

// Past follows previousRevision from the record through the records of the past. The
// chain ends at one that is not there: it is the first, or in quarantine.
func (s *Store) Past(ctx context.Context, d ownership.Digest) iter.Seq2[lease.Stored, error] {
	return func(yield func(lease.Stored, error) bool) {
		err := s.past(ctx, d, func(p lease.Stored) bool { return yield(p, nil) })
		if err != nil {
			yield(lease.Stored{}, s.failed(ctx, "read history", s.keys.pasts(d), err))
		}
	}
}

func (s *Store) past(ctx context.Context, d ownership.Digest, yield func(lease.Stored) bool) error {
	at, err := s.Load(ctx, d)
	if err != nil || at.Vacant() {
		return err
	}
	for {
		reading := at.Reading(d)
		if reading.Fault != nil {
			return &lease.StoreError{Op: "read history", Path: s.at(s.keys.session(d)),
				Err: fmt.Errorf("it cannot be followed beyond revision %s: %w", at.Revision, reading.Fault)}
		}
		previous := reading.Record.PreviousRevision
		if previous == nil {
			return nil
		}
		at, err = s.ReadRev(ctx, d, *previous)
		if err != nil || at.Vacant() || !yield(at) {
			return err
		}
	}
}

// ReadRev returns a record of the past, or the zero value for one that is not there.
func (s *Store) ReadRev(ctx context.Context, d ownership.Digest, r ownership.Revision) (lease.Stored, error) {
	key := s.keys.past(d, r)
	got, err := s.get(ctx, "read history", key)
	if err != nil || len(got.Kvs) == 0 {
		return lease.Stored{}, err
	}
	stored := storedFrom(got.Kvs[0].Value, ownership.MaxRecordSize)
	if stored.Revision != r {
		return lease.Stored{}, &lease.StoreError{Op: "read history", Path: s.at(key),
			Err: fmt.Errorf("it has other bytes than its name says: revision %s", stored.Revision)}
	}
	return stored, nil
}
