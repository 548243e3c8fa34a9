package storetest

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/procid"
	"holdfast/lease"
	"holdfast/ownership"
)

func (s *suite) requireHeld(t *testing.T, g ownership.Generation) {
	t.Helper()
	h, err := s.Open().Hold(t.Context(), s.d, g)
	require.ErrorIs(t, err, lease.ErrHeld)
	require.Nil(t, h)
}

// Exclusive against other handles and against the very same one.
func testHoldExcludes(t *testing.T, s *suite) {
	store := s.Open()
	h := s.hold(t, store, 1)
	s.requireHeld(t, 1)
	_, err := store.Hold(t.Context(), s.d, 1)
	require.ErrorIs(t, err, lease.ErrHeld)

	require.NoError(t, h.Drop())
	s.acquire(t, thisProcess()).release(t)
	o := s.acquire(t, thisProcess())
	require.EqualValues(t, 2, o.Generation())
	for range 100 {
		s.requireHeld(t, 2)
		s.load(t)
	}
	_ = h.Drop()
	s.requireHeld(t, 2) // ending a hold again frees nobody else's
	require.NoError(t, o.Drop())
	s.hold(t, s.Open(), 2)
}

func testHoldIsOfOneGeneration(t *testing.T, s *suite) {
	s.hold(t, s.Open(), 1)
	s.hold(t, s.Open(), 2)
	s.hold(t, s.Open(), ownership.MaxGeneration)
	key := keyOf(t, "web/43")
	other := suite{Backend: s.Backend, key: key, d: key.Digest()}
	other.hold(t, s.Open(), 1)
	s.requireHeld(t, 1)
	s.requireHeld(t, 2)
}

// Of many who want one life lock, the first ones of a missing store included, exactly
// one gets it.
func testManyHolds(t *testing.T, s *suite) {
	for g := range ownership.Generation(rounds) {
		start := make(chan struct{})
		var all sync.WaitGroup
		var held atomic.Int32
		for range contenders {
			store := s.Open()
			all.Go(func() {
				<-start
				_, err := store.Hold(t.Context(), s.d, g+1)
				switch {
				case err == nil:
					held.Add(1) // and never dropped
				case !errors.Is(err, lease.ErrHeld):
					t.Errorf("generation %d: %v", g+1, err)
				}
			})
		}
		close(start)
		all.Wait()
		require.EqualValues(t, 1, held.Load())
	}
}

// kin returns the descriptor of an owner's kin lock, or skips where there is none.
func (o owner) kin(t *testing.T) *os.File {
	t.Helper()
	f, err := o.Kin()
	require.NoError(t, err)
	if f == nil {
		t.Skip("this store has no kin lock, and its contract allows that")
	}
	t.Cleanup(func() { _ = f.Close() }) // closed by its test
	return f
}

func (o owner) requireKinHeld(t *testing.T, want bool) {
	t.Helper()
	held, err := o.KinHeld()
	require.NoError(t, err)
	require.Equal(t, want, held)
}

// Whoever keeps the kin descriptor keeps the session alive, without its owner.
func testKin(t *testing.T, s *suite) {
	o := s.acquire(t, deadProcess())
	o.requireKinHeld(t, false)
	f := o.kin(t)
	o.requireKinHeld(t, true)
	require.NoError(t, o.Drop())

	live := s.inspect(t).Liveness
	require.Equal(t, ownership.Alive, live.Verdict)
	require.Equal(t, ownership.KinLock, live.Held)
	require.NoError(t, f.Close())
	live = s.inspect(t).Liveness
	require.Equal(t, ownership.Gone, live.Verdict, "%+v", live.Evidence)
	require.Equal(t, ownership.NoLock, live.Held)
}

func testHolders(t *testing.T, s *suite) {
	o := s.acquire(t, thisProcess())
	self := thisProcess()
	want := ownership.Process{PID: self.PID, StartTicks: *self.StartTicks, Program: self.Program}
	require.Equal(t, []ownership.Process{want}, s.holders(t))
	require.NoError(t, o.Drop())
	require.Empty(t, s.holders(t))
}

// holders takes a list that may be incomplete for want of permission: we are in it.
func (s *suite) holders(t *testing.T) []ownership.Process {
	t.Helper()
	found, err := s.Open().Holders(t.Context(), s.d, 1, ownership.LifeLock)
	var partial *procid.PartialError
	if !errors.As(err, &partial) {
		require.NoError(t, err)
	}
	return found
}
