package etcdstore

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/lease"
	"holdfast/ownership"
)

// I3: an owner that was stopped for too long finds out by its own clock, right before it
// publishes, and not from the cluster, which may not have let go of it yet.
func TestWhoseTimeIsOverPublishesNothing(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	key := keyOf(t, "web/42")
	strand(t, s, key)
	stored, err := s.Load(t.Context(), key.Digest())
	require.NoError(t, err)
	c := ownership.Current{Record: stored.Reading(key.Digest()).Record, Revision: stored.Revision}
	r, err := ownership.Recover(c, ownership.Force{At: ownership.At(time.Now()), Actor: "ana@devbox", Liveness: ownership.Gone})
	require.NoError(t, err)
	b, err := ownership.Encode(r)
	require.NoError(t, err)
	held, err := s.Hold(t.Context(), key.Digest(), r.Generation)
	require.NoError(t, err)

	for h := held.(*hold); h.term.over() == nil; { // a renewal may come in between
		h.term.mu.Lock()
		h.term.expires = sinceBoot()
		h.term.mu.Unlock()
	}
	require.ErrorIs(t, s.Publish(t.Context(), held, stored.Revision, b), lease.ErrOwnershipLost)
	now, err := s.Load(t.Context(), key.Digest())
	require.NoError(t, err)
	require.Equal(t, stored.Revision, now.Revision)
}
