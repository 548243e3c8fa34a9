package etcdstore

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/lease"
	"holdfast/ownership"
)

// A recovery that was decided while the owner's life key was gone is refused in its own
// transaction once there is one (I7); without, the same transaction goes through.
func TestDisplaceLooksForTheOwnerInItsTransaction(t *testing.T) {
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

	owner, err := s.Hold(t.Context(), key.Digest(), c.Record.Generation)
	require.NoError(t, err)
	h, err := s.Hold(t.Context(), key.Digest(), r.Generation)
	require.NoError(t, err)
	before := dump(t, s, contents)
	require.ErrorIs(t, s.Displace(t.Context(), h, stored.Revision, c.Record.Generation, b), lease.ErrHeld)
	require.Equal(t, before, dump(t, s, contents), "nothing changed")
	require.NoError(t, owner.Drop())
	require.NoError(t, s.Displace(t.Context(), h, stored.Revision, c.Record.Generation, b))
	require.NoError(t, h.Retire())
}

// What an owner releases and the end of its life key are one step.
func TestConcludeEndsTheLifeKey(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	key := keyOf(t, "web/42")
	l, err := lease.Acquire(t.Context(), s, key, lease.Owner{Kind: "test"})
	require.NoError(t, err)
	require.Contains(t, dump(t, s, contents), "/life/1=")
	require.NoError(t, l.Release(t.Context()))
	require.NotContains(t, dump(t, s, contents), "/life/")
}
