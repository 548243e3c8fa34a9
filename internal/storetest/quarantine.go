package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/lease"
	"holdfast/ownership"
)

// damaged returns a store whose session has bytes that are no record, published as
// generation 2 while its hold lasts; it skips where records cannot be damaged.
func (s *suite) damaged(t *testing.T) (lease.Quarantiner, owner) {
	t.Helper()
	store := s.Open()
	q, ok := store.(lease.Quarantiner)
	if !ok {
		t.Skip("the records of this store cannot be damaged in place")
	}
	s.acquire(t, thisProcess()).release(t)
	c := s.current(t, store)
	h := s.hold(t, store, 2)
	require.NoError(t, store.Publish(t.Context(), h, c.Revision, []byte("not a record\n")))
	require.Equal(t, ownership.StateUnreadable, s.inspect(t).State)
	return q, owner{s, store, h}
}

func testQuarantine(t *testing.T, s *suite) {
	q, o := s.damaged(t)
	require.NoError(t, o.Drop())
	torn := s.load(t)
	h := s.hold(t, o.store, 3)
	b := encoded(t, ownership.Quarantine(s.d, torn.Revision, 3, someForce()), nil)
	contents := told(s.Contents)
	for _, wrong := range []ownership.Revision{{}, {1}, ownership.RevisionOf(b)} {
		require.ErrorIs(t, q.Quarantine(t.Context(), h, wrong, b), lease.ErrConflict)
		require.Equal(t, torn, s.load(t), "I1: never overwritten")
		require.Equal(t, contents, told(s.Contents))
	}
	require.NoError(t, q.Quarantine(t.Context(), h, torn.Revision, b))
	s.requireStored(t, b)
	require.NoError(t, h.Retire())

	next := s.acquire(t, thisProcess())
	require.EqualValues(t, 4, next.Generation(), "I2")
}

// Whatever its record, a session's locks and generations can be seen.
func testTraces(t *testing.T, s *suite) {
	q, o := s.damaged(t)
	times := told(s.Times)
	traces, err := q.Traces(t.Context(), s.d)
	require.NoError(t, err)
	require.Equal(t, []ownership.Lock{ownership.LifeLock}, locks(traces))
	require.GreaterOrEqual(t, traces.Highest, ownership.Generation(2))
	require.NoError(t, o.Drop())
	traces, err = q.Traces(t.Context(), s.d)
	require.NoError(t, err)
	require.Empty(t, traces.Held)
	require.GreaterOrEqual(t, traces.Highest, ownership.Generation(2))
	require.Equal(t, times, told(s.Times))

	nobody, err := q.Traces(t.Context(), keyOf(t, "web/43").Digest())
	require.NoError(t, err)
	require.Zero(t, nobody)
}

func locks(traces lease.Traces) (held []ownership.Lock) {
	for _, h := range traces.Held {
		held = append(held, h.Lock)
	}
	return held
}
