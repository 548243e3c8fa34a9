package dirstore

import (
	"context"

	"holdfast/ownership"
)

// PlainOutbox is the quick way of Outbox, and whether it knew all that there is.
func (s *Store) PlainOutbox(ctx context.Context, d ownership.Digest) (Outbox, bool) {
	v := s.view(d)
	defer v.Close()
	return v.outbox(ctx)
}

// LongOutbox is the other one.
func (s *Store) LongOutbox(ctx context.Context, d ownership.Digest) (Outbox, error) {
	x, err := s.openSession(d)
	if err != nil {
		return Outbox{}, err
	}
	defer x.Close()
	return s.readOutbox(ctx, x, d)
}
