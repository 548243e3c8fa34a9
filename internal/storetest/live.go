package storetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/lease"
	"holdfast/ownership"
)

func pulseOf(g ownership.Generation, phase lease.Phase) lease.Pulse {
	return lease.Pulse{Generation: g, Phase: phase, Note: "n", At: ownership.At(time.Now())}
}

// A pulse is the session's latest, whoever wrote it, and touches no record.
func testPulse(t *testing.T, s *suite) {
	o := s.acquire(t, thisProcess())
	before := s.load(t)
	for _, phase := range lease.Phases {
		p := pulseOf(1, phase)
		require.NoError(t, lease.WritePulse(t.Context(), s.Open(), s.d, p))
		got, err := lease.ReadPulse(t.Context(), s.Open(), s.d)
		require.NoError(t, err)
		require.Equal(t, &p, got)
		require.Equal(t, &p, s.inspect(t).Pulse)
	}
	require.Equal(t, before, s.load(t))
	require.Empty(t, s.past(t))
	o.release(t)
	s.acquire(t, thisProcess())
	require.Nil(t, s.inspect(t).Pulse, "the pulse of another generation is ignored")
}

// watch returns what Watch returned, once it did.
func watch(ctx context.Context, h lease.Hold) <-chan error {
	done := make(chan error, 1)
	go func() { done <- h.Watch(ctx) }()
	return done
}

func testWatchContext(t *testing.T, s *suite) {
	o := s.acquire(t, thisProcess())
	ctx, cancel := context.WithCancel(t.Context())
	done := watch(ctx, o)
	o.publish(t, func(c ownership.Current) (ownership.Record, error) {
		return ownership.Describe(c, ownership.Facts{Resume: new("x")}) // its own publish is no loss
	})
	select {
	case err := <-done:
		require.Fail(t, "ended too early", "%v", err)
	case <-time.After(2 * lease.WatchInterval):
	}
	cancel()
	err := received(t, done)
	require.ErrorIs(t, err, context.Canceled)
	require.NotErrorIs(t, err, lease.ErrOwnershipLost)
}

func received(t *testing.T, done <-chan error) error {
	t.Helper()
	select {
	case err := <-done:
		return err
	case <-time.After(hang):
		require.Fail(t, "it did not end")
		return nil
	}
}

// takeOver publishes a forced recovery, as a person does who removed the lock.
func (s *suite) takeOver(t *testing.T) {
	t.Helper()
	store := s.Open()
	c := s.current(t, store)
	r, err := ownership.Recover(c, someForce())
	h := s.hold(t, store, r.Generation)
	require.NoError(t, store.Publish(t.Context(), h, c.Revision, encoded(t, r, err)))
	require.NoError(t, h.Retire())
}

func testWatchLoss(t *testing.T, s *suite) {
	o := s.acquire(t, thisProcess())
	done := watch(t.Context(), o)
	s.takeOver(t)
	require.ErrorIs(t, received(t, done), lease.ErrOwnershipLost)
}

// A frozen owner that wakes up after it was displaced writes nothing (I3, I6).
func testLostOwner(t *testing.T, s *suite) {
	o := s.acquire(t, thisProcess())
	c := s.current(t, o.store)
	r, err := ownership.ReleaseAcknowledge(c)
	late := encoded(t, r, err)
	s.takeOver(t)
	s.requireUnchanged(t, func() {
		err := o.store.Publish(t.Context(), o.Hold, c.Revision, late)
		require.True(t, errors.Is(err, lease.ErrConflict) || errors.Is(err, lease.ErrOwnershipLost), "%v", err)
		require.NotErrorIs(t, err, lease.ErrOutcomeUnknown)
	})
	require.NoError(t, o.Drop())
}

// The host's whole way through the store.
func testAcquire(t *testing.T, s *suite) {
	for want := range ownership.Generation(3) {
		l, err := lease.Acquire(t.Context(), s.Open(), s.key, lease.Owner{Kind: "storetest"})
		require.NoError(t, err)
		require.Equal(t, want+1, l.Generation())
		require.Equal(t, s.load(t).Revision, l.Revision())
		s.requireUntouched(t, func() {
			var refusal *lease.Refusal
			_, err := lease.Acquire(t.Context(), s.Open(), s.key, lease.Owner{Kind: "storetest"})
			require.ErrorAs(t, err, &refusal)
			require.Equal(t, ownership.ReasonActiveOwner, refusal.Reason)
		})
		require.NoError(t, l.Release(t.Context()))
		require.Equal(t, ownership.StateIdle, s.inspect(t).State)
	}
}
