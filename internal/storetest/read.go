package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/lease"
	"holdfast/ownership"
)

func testVacant(t *testing.T, s *suite) {
	s.requireUntouched(t, func() {
		require.Zero(t, s.load(t))
		require.Empty(t, s.past(t))
		require.Empty(t, listed(t, s.Open()))
		pulse, err := s.Open().Pulse(t.Context(), s.d)
		require.NoError(t, err)
		require.Nil(t, pulse)
		require.Equal(t, ownership.StateVacant, s.inspect(t).State)
	})
}

// Identity is the same from before the store exists.
func testIdentity(t *testing.T, s *suite) {
	before := s.Open().Identity()
	require.NotEmpty(t, before)
	s.acquire(t, thisProcess())
	require.Equal(t, before, s.Open().Identity())
	require.NotEqual(t, before, s.fresh(t).Open().Identity(), "another store is another one")
}

// I8: looking changes nothing, whatever there is to see.
func testReadingWritesNothing(t *testing.T, s *suite) {
	o := s.acquire(t, thisProcess())
	require.NoError(t, lease.WritePulse(t.Context(), s.Open(), s.d, pulseOf(1, lease.PhaseWorking)))
	s.requireReadingWritesNothing(t)
	o.release(t)
	s.requireReadingWritesNothing(t)
	require.NoError(t, s.acquire(t, deadProcess()).Drop())
	s.requireReadingWritesNothing(t)
}

func (s *suite) requireReadingWritesNothing(t *testing.T) {
	t.Helper()
	s.requireUntouched(t, func() {
		store := s.Open()
		r := s.current(t, store).Record
		if r.State == ownership.RecordActive {
			_, err := store.Probe(t.Context(), *r)
			require.NoError(t, err)
		}
		for _, lock := range []ownership.Lock{ownership.LifeLock, ownership.KinLock} {
			_, _ = store.Holders(t.Context(), s.d, r.Generation, lock) // may lack the permission; writes nothing all the same
		}
		_, err := store.Pulse(t.Context(), s.d)
		require.NoError(t, err)
		listed(t, store)
		s.inspect(t)
	})
}

func listed(t *testing.T, store lease.Store) (all []ownership.Digest) {
	t.Helper()
	for d, err := range store.List(t.Context()) {
		require.NoError(t, err)
		all = append(all, d)
	}
	return all
}

func testList(t *testing.T, s *suite) {
	var want []ownership.Digest
	for _, name := range []string{"a_b", "a:b", "a/b", "a b", "a%3Ab", "A_B", "a.b", "../x"} {
		key := keyOf(t, name)
		one := suite{Backend: s.Backend, key: key, d: key.Digest()}
		one.acquire(t, thisProcess())
		want = append(want, one.d)
	}
	require.ElementsMatch(t, want, listed(t, s.Open()), "each spelling is a session of its own, listed once")
	for range s.Open().List(t.Context()) {
		break // who has seen enough may stop
	}
}

// The chain of previous revisions, newest first and without the current record (I11).
func testPast(t *testing.T, s *suite) {
	var published []string
	for range 3 {
		o := s.acquire(t, thisProcess())
		published = append([]string{string(s.load(t).Bytes)}, published...)
		require.Equal(t, published[1:], append([]string{}, s.past(t)...))
		o.release(t)
		published = append([]string{string(s.load(t).Bytes)}, published...)
		require.Equal(t, published[1:], s.past(t))
	}
	for range s.Open().Past(t.Context(), s.d) {
		break // who has seen enough may stop
	}
}

func testPastSkips(t *testing.T, s *suite) {
	s.acquire(t, thisProcess()).release(t)
	idle := s.current(t, s.Open())
	late := s.claim(t, idle, thisProcess())
	s.acquire(t, thisProcess()).release(t)
	past := s.past(t)

	store := s.Open()
	h := s.hold(t, store, 3)
	require.ErrorIs(t, store.Publish(t.Context(), h, idle.Revision, late), lease.ErrConflict)
	require.Equal(t, past, s.past(t))
}
