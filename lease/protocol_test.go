package lease_test

import (
	"context"
	"os/exec"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/testkit"
	"holdfast/lease"
	"holdfast/ownership"
)

// overtaken lets somebody else own and release the session right before a claimant
// takes its hold, once.
type overtaken struct {
	lease.Store
	overtake  func()
	published *[]ownership.Revision // what each publish claimed to replace
}

func (s *overtaken) Hold(ctx context.Context, d ownership.Digest, g ownership.Generation) (lease.Hold, error) {
	if s.overtake != nil {
		s.overtake()
		s.overtake = nil
	}
	return s.Store.Hold(ctx, d, g)
}

func (s *overtaken) Publish(ctx context.Context, h lease.Hold, previous ownership.Revision, b []byte) error {
	*s.published = append(*s.published, previous)
	return s.Store.Publish(ctx, h, previous, b)
}

func TestLateClaimantLooksAgainUnderItsHold(t *testing.T) { // I4, I6
	s, dir := newStore(t)
	var published []ownership.Revision
	late := &overtaken{Store: openStore(t, dir), published: &published}
	late.overtake = func() {
		other := otherProcess{s} // another identity: in one process it would be refused before
		require.NoError(t, acquire(t, other, "k", lease.Owner{}).Release(t.Context()))
	}
	l := acquire(t, late, "k", lease.Owner{})
	require.Equal(t, ownership.Generation(2), l.Generation())
	require.Equal(t, []ownership.Revision{*l.Record().PreviousRevision}, published, "it never tried to publish over what it had seen first")
	require.NoError(t, l.Release(t.Context()))
}

// otherProcess is a handle that does not share the occupancy of this process.
type otherProcess struct{ lease.Store }

func (s otherProcess) Identity() string { return "another process's " + s.Store.Identity() }

func TestForkingHostReleasesItsKinLock(t *testing.T) {
	s, _ := newStore(t)
	ctx, stop := context.WithCancel(t.Context())
	var forkers sync.WaitGroup
	for range 2 {
		forkers.Go(func() {
			for ctx.Err() == nil {
				_ = exec.Command("/bin/true").Run()
			}
		})
	}
	for range testkit.Rounds(10, 200) {
		require.NoError(t, acquire(t, s, "k", lease.Owner{Kin: true}).Release(t.Context()))
	}
	stop()
	forkers.Wait()
}

func TestEndedLeaseWritesNoPulse(t *testing.T) {
	s, _ := newStore(t)
	first := acquire(t, s, "k", lease.Owner{})
	require.NoError(t, first.Release(t.Context()))
	require.ErrorIs(t, first.Pulse(t.Context(), lease.PhaseWorking, "late"), lease.ErrEnded)
	second := acquire(t, s, "k", lease.Owner{})
	require.NoError(t, second.Abandon(t.Context(), "gave up"))
	require.ErrorIs(t, second.Pulse(t.Context(), lease.PhaseWorking, "late"), lease.ErrEnded)
	require.Equal(t, ownership.StateStranded, inspect(t, s, "k").State)
}

func TestClaimThatNoRecordCanHoldTouchesNothing(t *testing.T) { // I8
	s, dir := newStore(t)
	_, err := lease.Acquire(t.Context(), s, key(t, "k"), lease.Owner{Kind: "Bad Kind"})
	var field *ownership.FieldError
	require.ErrorAs(t, err, &field)
	_, err = lease.Acquire(t.Context(), s, ownership.Key{}, lease.Owner{Private: true})
	var bad *ownership.KeyError
	require.ErrorAs(t, err, &bad)
	require.NoDirExists(t, dir)
}
