package storetest

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/testkit"
	"holdfast/lease"
	"holdfast/ownership"
)

// I4: from the very first moment of its record, an owner is alive.
func testProbeAlive(t *testing.T, s *suite) {
	o := s.acquire(t, deadProcess())
	live, err := s.Open().Probe(t.Context(), *s.current(t, s.Open()).Record)
	require.NoError(t, err)
	require.Equal(t, ownership.Alive, live.Verdict, "the lock says so, whatever the process")
	require.Equal(t, ownership.LifeLock, live.Held)
	require.NotEmpty(t, live.Evidence)
	require.Equal(t, ownership.StateHeld, s.inspect(t).State)

	s.hold(t, s.Open(), 2)
	require.Equal(t, ownership.StateHeld, s.inspect(t).State)
	o.release(t)
	i := s.inspect(t)
	require.Equal(t, ownership.StateIdle, i.State)
	require.Nil(t, i.Liveness)
}

func testProbeDead(t *testing.T, s *suite) {
	require.NoError(t, s.acquire(t, deadProcess()).Drop())
	i := s.inspect(t)
	require.Equal(t, ownership.StateStranded, i.State, "%+v", i.Liveness)
	require.Equal(t, ownership.NoLock, i.Liveness.Held)
	require.NotEmpty(t, i.Liveness.Evidence)
	require.Equal(t, s.load(t), i.Stored)

	s.hold(t, s.Open(), 2)
	require.Equal(t, ownership.StateStranded, s.inspect(t).State, "the lock of another generation is no sign of life")
}

// An owner whose lock is free while its process lives is not gone, unless its own
// pulse of this generation says that it gave up.
func testProbeAbandoned(t *testing.T, s *suite) {
	require.NoError(t, s.acquire(t, thisProcess()).Drop())
	require.Equal(t, ownership.StateUnproven, s.inspect(t).State)

	store := s.Open()
	require.NoError(t, lease.WritePulse(t.Context(), store, s.d, pulseOf(1, lease.PhaseIdle)))
	require.Equal(t, ownership.StateUnproven, s.inspect(t).State)
	require.NoError(t, lease.WritePulse(t.Context(), store, s.d, pulseOf(2, lease.PhaseAbandoned)))
	require.Equal(t, ownership.StateUnproven, s.inspect(t).State, "another generation's pulse is ignored")
	require.NoError(t, store.SetPulse(t.Context(), s.d, []byte("not a pulse")))
	require.Equal(t, ownership.StateUnproven, s.inspect(t).State, "what cannot be read says nothing (I12)")
	require.NoError(t, lease.WritePulse(t.Context(), store, s.d, pulseOf(1, lease.PhaseAbandoned)))
	require.Equal(t, ownership.StateStranded, s.inspect(t).State)
}

// How often the owner cycles, and how often it is looked at meanwhile, at least.
var (
	cycles      = testkit.Rounds(20, 200)
	inspections = testkit.Rounds(200, 5000)
)

// A healthy owner that acquires and releases as fast as it can is idle or held at every
// look, and never stranded or unproven: a probe that finds its lock free counts only if
// the record did not change meanwhile.
func testCyclingOwner(t *testing.T, s *suite) {
	s.acquire(t, deadProcess()).release(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	failed := make(chan error, 1)
	go func() { failed <- s.cycle(ctx, t.Context()) }()
	seen := map[ownership.State]int{}
	for n := 0; n < inspections || len(seen) < 2 || s.load(t).Reading(s.d).Record.Generation < ownership.Generation(cycles); n++ {
		i := s.inspect(t)
		require.Contains(t, []ownership.State{ownership.StateHeld, ownership.StateIdle}, i.State, "%+v", i.Liveness)
		seen[i.State]++
	}
	stop()
	require.NoError(t, <-failed)
}

// cycle owns the session again and again, in the fewest steps that a store allows,
// until ctx is done. What has begun is finished with the other context.
func (s *suite) cycle(ctx, finish context.Context) error {
	store := s.Open()
	stored, err := store.Load(finish, s.d)
	c := ownership.Current{Record: stored.Reading(s.d).Record, Revision: stored.Revision}
	for err == nil && ctx.Err() == nil {
		c, err = s.own(finish, store, c)
	}
	return err
}

// own acquires and releases once, from an idle record to an idle record.
func (s *suite) own(ctx context.Context, store lease.Store, c ownership.Current) (ownership.Current, error) {
	h, err := store.Hold(ctx, s.d, c.Record.Generation+1)
	if err != nil {
		return c, err
	}
	active, err := ownership.Acquire(c, ownership.Claim{Key: s.key, Owner: deadProcess()})
	c, err = publishNext(ctx, store, h, c, active, err)
	if err != nil {
		return c, err
	}
	idle, err := ownership.ReleaseAcknowledge(c)
	c, err = publishNext(ctx, store, h, c, idle, err)
	return c, errors.Join(err, h.Retire())
}

// publishNext takes what a transition from c returned.
func publishNext(ctx context.Context, store lease.Store, h lease.Hold, c ownership.Current, r ownership.Record, err error) (ownership.Current, error) {
	if err != nil {
		return c, err
	}
	b, err := ownership.Encode(r)
	if err != nil {
		return c, err
	}
	return ownership.Current{Record: &r, Revision: ownership.RevisionOf(b)}, store.Publish(ctx, h, c.Revision, b)
}
