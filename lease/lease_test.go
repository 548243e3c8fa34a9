package lease_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/lease"
	"holdfast/ownership"
)

func TestReleaseMakesIdleAndNextGenerationFollows(t *testing.T) {
	s, dir := newStore(t)
	l := acquire(t, s, "k", lease.Owner{Kind: "test", Program: "agent"})
	require.Equal(t, ownership.Generation(1), l.Generation())
	held := inspect(t, s, "k")
	require.Equal(t, ownership.StateHeld, held.State)
	require.Equal(t, l.Revision(), *held.Revision) // I10
	require.NoError(t, l.Release(t.Context()))
	require.ErrorIs(t, context.Cause(l.Context()), lease.ErrEnded)

	idle := inspect(t, s, "k")
	require.Equal(t, ownership.StateIdle, idle.State)
	require.Equal(t, held.Revision, idle.Record.PreviousRevision) // I11
	require.Equal(t, ownership.ReleaseAcknowledged, *idle.Record.Release)
	require.Equal(t, "agent", idle.Record.Owner.Program)

	again := acquire(t, s, "k", lease.Owner{})
	require.Equal(t, ownership.Generation(2), again.Generation()) // I2
	require.NoError(t, again.Release(t.Context()))
	require.ErrorIs(t, again.Release(t.Context()), lease.ErrEnded)
	left, err := filepath.Glob(filepath.Join(dir, "sessions", "*", "[lkn]*"))
	require.NoError(t, err)
	require.Empty(t, left, "lock files and temporaries after a clean release")
}

func TestRefusalNamesTheOwnerAndWritesNothing(t *testing.T) {
	s, dir := newStore(t)
	l := acquire(t, s, "k", lease.Owner{Program: "agent"})
	before := fingerprint(t, dir)

	_, err := lease.Acquire(t.Context(), openStore(t, dir), key(t, "k"), lease.Owner{})
	var refusal *lease.Refusal
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, ownership.ReasonActiveOwner, refusal.Reason)
	require.Equal(t, os.Getpid(), refusal.Inspection.Record.Owner.PID)
	require.Contains(t, refusal.Message, "agent")
	require.Equal(t, before, fingerprint(t, dir)) // I8

	require.NoError(t, l.Pulse(t.Context(), lease.PhaseWorking, "on it"), "the failed attempt took nothing from the owner")
	require.NoError(t, l.Release(t.Context()))
}

func TestReadingNeverCreatesAStore(t *testing.T) {
	s, dir := newStore(t)
	require.Equal(t, ownership.StateVacant, inspect(t, s, "k").State)
	require.NoDirExists(t, dir) // I8
}

func TestOneProcessKeepsItselfApart(t *testing.T) {
	s, dir := newStore(t)
	d := key(t, "k").Digest()
	free, ok := lease.Occupy(s, d)
	require.True(t, ok)
	_, err := lease.Acquire(t.Context(), openStore(t, dir), key(t, "k"), lease.Owner{})
	var refusal *lease.Refusal
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, ownership.ReasonActiveOwner, refusal.Reason)
	require.NoDirExists(t, dir)
	free()
	free() // a second call frees nobody else's
	require.NoError(t, acquire(t, s, "k", lease.Owner{}).Release(t.Context()))
}

func TestClaimedByAnotherIsRefused(t *testing.T) {
	s, dir := newStore(t)
	hold, err := s.Hold(t.Context(), key(t, "k").Digest(), 1)
	require.NoError(t, err)
	defer hold.Drop()
	_, err = lease.Acquire(t.Context(), openStore(t, dir), key(t, "k"), lease.Owner{})
	var refusal *lease.Refusal
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, ownership.ReasonActiveOwner, refusal.Reason)
}

func TestFactsAreKeptUntilAnOwnerChangesThem(t *testing.T) {
	s, _ := newStore(t)
	resume, worktree, none := "agent --resume 1", "/w", ""
	first := acquire(t, s, "k", lease.Owner{Facts: ownership.Facts{Resume: &resume, Worktree: &worktree}})
	require.NoError(t, first.Release(t.Context()))

	second := acquire(t, s, "k", lease.Owner{Facts: ownership.Facts{Worktree: &none}})
	require.Equal(t, &resume, second.Record().Session.Resume)
	require.Nil(t, second.Record().Session.Worktree)

	transcript := "/t"
	before := second.Revision()
	require.NoError(t, second.Describe(t.Context(), ownership.Facts{Transcript: &transcript}))
	now := inspect(t, s, "k")
	require.Equal(t, second.Revision(), *now.Revision)
	require.Equal(t, before, *now.Record.PreviousRevision)
	require.Equal(t, second.Generation(), now.Record.Generation)
	require.Equal(t, &transcript, now.Record.Session.Transcript)
	require.NoError(t, second.Release(t.Context()))
}

func TestPrivateKeyIsNotKept(t *testing.T) {
	s, dir := newStore(t)
	l := acquire(t, s, "secret-name", lease.Owner{Private: true})
	_, err := lease.Acquire(t.Context(), s, key(t, "secret-name"), lease.Owner{})
	var refusal *lease.Refusal
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, "secret-name", *refusal.Inspection.Key, "who typed it may see it")
	require.NoError(t, l.Release(t.Context()))
	err = filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NotContains(t, string(b), "secret-name")
		}
		require.NotContains(t, path, "secret-name")
		return err
	})
	require.NoError(t, err)
}

func TestAbandonLeavesItStrandedThoughTheProcessLives(t *testing.T) {
	s, _ := newStore(t)
	l := acquire(t, s, "k", lease.Owner{})
	require.NoError(t, l.Abandon(t.Context(), "gave up"))
	i := inspect(t, s, "k")
	require.Equal(t, ownership.StateStranded, i.State, "%+v", i.Liveness)
	require.Equal(t, "gave up", i.Pulse.Note)
	_, err := lease.Acquire(t.Context(), s, key(t, "k"), lease.Owner{Wait: time.Hour})
	var refusal *lease.Refusal
	require.ErrorAs(t, err, &refusal, "a stranded session is never waited for")
	require.Equal(t, ownership.ReasonRecoveryRequired, refusal.Reason)
}

func TestCancelledAcquireIsPutBack(t *testing.T) {
	s, dir := newStore(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("the caller went away")
	_, err := lease.Acquire(ctx, afterPublish{s, func() { cancel(gone) }}, key(t, "k"), lease.Owner{})
	require.ErrorIs(t, err, gone)
	i := inspect(t, s, "k")
	require.Equal(t, ownership.StateIdle, i.State)
	require.Equal(t, ownership.ReleaseAcknowledged, *i.Record.Release)

	before := fingerprint(t, dir)
	_, err = lease.Acquire(ctx, s, key(t, "k"), lease.Owner{})
	require.ErrorIs(t, err, gone)
	require.Equal(t, before, fingerprint(t, dir)) // I8
	require.NoError(t, acquire(t, s, "k", lease.Owner{}).Release(t.Context()))
}

// afterPublish does something right after each publish.
type afterPublish struct {
	lease.Store
	do func()
}

func (s afterPublish) Publish(ctx context.Context, h lease.Hold, previous ownership.Revision, b []byte) error {
	defer s.do()
	return s.Store.Publish(ctx, h, previous, b)
}

// publishFails answers a publish with an error, before or after it took effect.
type publishFails struct {
	lease.Store
	err     error
	applied bool
}

func (s publishFails) Publish(ctx context.Context, h lease.Hold, previous ownership.Revision, b []byte) error {
	if s.applied {
		if err := s.Store.Publish(ctx, h, previous, b); err != nil {
			return err
		}
	}
	return s.err
}

func TestOutcomeUnknownMeansThatNothingIsOwned(t *testing.T) { // I9
	s, _ := newStore(t)
	unanswered := publishFails{s, &lease.StoreError{Kind: lease.ErrOutcomeUnknown, Op: "publish"}, true}
	_, err := lease.Acquire(t.Context(), unanswered, key(t, "k"), lease.Owner{})
	require.ErrorIs(t, err, lease.ErrOutcomeUnknown)
	require.Equal(t, ownership.StateStranded, inspect(t, s, "k").State, "this process says itself that it does not own it")

	unanswered.applied = false
	_, err = lease.Acquire(t.Context(), unanswered, key(t, "other"), lease.Owner{})
	require.ErrorIs(t, err, lease.ErrOutcomeUnknown)
	require.NoError(t, acquire(t, s, "other", lease.Owner{}).Release(t.Context()))
}

func TestFailedReleaseStaysInForce(t *testing.T) {
	s, dir := newStore(t)
	full := errors.New("no space")
	failing := &failingRelease{Store: s}
	l := acquire(t, failing, "k", lease.Owner{})
	failing.err = full
	require.ErrorIs(t, l.Release(t.Context()), full)
	require.NoError(t, l.Context().Err())
	require.Equal(t, ownership.StateHeld, inspect(t, openStore(t, dir), "k").State)
	failing.err = nil
	require.NoError(t, l.Release(t.Context()))
}

// I9: whoever is not answered has not released, and owns nothing either.
func TestReleaseWithoutAnAnswerAcknowledgesNothing(t *testing.T) {
	s, dir := newStore(t)
	unanswered := &failingRelease{Store: s}
	l := acquire(t, unanswered, "k", lease.Owner{})
	unanswered.err = &lease.StoreError{Kind: lease.ErrOutcomeUnknown, Op: "publish"}
	require.ErrorIs(t, l.Release(t.Context()), lease.ErrOutcomeUnknown)
	require.ErrorIs(t, context.Cause(l.Context()), lease.ErrOutcomeUnknown)
	require.NotEqual(t, ownership.StateHeld, inspect(t, openStore(t, dir), "k").State)
}

// What has begun is settled: a caller that goes away during a release has released.
func TestAReleaseWhoseCallerGoesAwayIsOne(t *testing.T) {
	s, _ := newStore(t)
	ctx, goAway := context.WithCancel(t.Context())
	defer goAway()
	leaving := &beforePublish{Store: s, do: func() {}}
	l := acquire(t, leaving, "k", lease.Owner{})
	leaving.do = goAway
	require.NoError(t, l.Release(ctx))
	require.Error(t, ctx.Err())
	require.Equal(t, ownership.StateIdle, inspect(t, s, "k").State)
}

// beforePublish does something right before each publish.
type beforePublish struct {
	lease.Store
	do func()
}

func (s *beforePublish) Publish(ctx context.Context, h lease.Hold, previous ownership.Revision, b []byte) error {
	s.do()
	return s.Store.Publish(ctx, h, previous, b)
}

type failingRelease struct {
	lease.Store
	err error
}

func (s *failingRelease) Publish(ctx context.Context, h lease.Hold, previous ownership.Revision, b []byte) error {
	if s.err != nil {
		return s.err
	}
	return s.Store.Publish(ctx, h, previous, b)
}

func TestReleaseIsRefusedWhileADescendantHoldsTheKinLock(t *testing.T) { // I5
	s, _ := newStore(t)
	l := acquire(t, s, "k", lease.Owner{Kin: true})
	cat := exec.Command("cat")
	cat.ExtraFiles = []*os.File{l.Kin()}
	stdin, err := cat.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cat.Start())

	var not *lease.NotQuiescentError
	require.ErrorAs(t, l.Release(t.Context()), &not)
	require.ErrorIs(t, l.Quiescent(t.Context()), lease.ErrNotQuiescent)
	require.NoError(t, l.Context().Err(), "the lease is still in force")
	require.NoError(t, stdin.Close())
	require.NoError(t, cat.Wait())
	require.NoError(t, l.Release(t.Context()))
}

func TestReleaseIsRefusedWhileARuntimeCannotBeAsked(t *testing.T) {
	s, _ := newStore(t)
	l := acquire(t, s, "k", lease.Owner{Facts: ownership.Facts{Runtime: &ownership.Runtime{Kind: "vm", Handle: "7"}}})
	require.ErrorIs(t, l.Release(t.Context()), lease.ErrNotQuiescent)
	require.NoError(t, l.Describe(t.Context(), ownership.Facts{Runtime: &ownership.Runtime{}}))
	require.NoError(t, l.Release(t.Context()))
}

func TestLossIsNoticedAndNothingIsPublished(t *testing.T) {
	s, dir := newStore(t)
	l := acquire(t, s, "k", lease.Owner{})
	life, err := filepath.Glob(filepath.Join(dir, "sessions", "*", "life.1"))
	require.NoError(t, err)
	require.Len(t, life, 1)
	require.NoError(t, os.Remove(life[0]))
	select {
	case <-l.Context().Done():
	case <-time.After(30 * time.Second):
		require.Fail(t, "the loss went unnoticed")
	}
	require.ErrorIs(t, context.Cause(l.Context()), lease.ErrOwnershipLost)
	before := fingerprint(t, dir)
	require.ErrorIs(t, l.Release(t.Context()), lease.ErrOwnershipLost)
	require.Equal(t, before, fingerprint(t, dir))
	require.Equal(t, ownership.StateUnproven, inspect(t, s, "k").State)
}
