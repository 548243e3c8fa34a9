package admin_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/admin"
	"holdfast/lease"
	"holdfast/ownership"
)

func TestRecoverLeavesTheMarkerAndKeepsTheSession(t *testing.T) {
	w := newWorld(t)
	was := w.strand(plan{Key: "k", Facts: ownership.Facts{Resume: new("agent --resume 1"), Runtime: &ownership.Runtime{Kind: "tmux", Handle: "no-such-session-of-tmux"}}})
	at := time.Date(2026, 11, 29, 12, 40, 2, 117e6, time.UTC)
	receipt := w.recovered(admin.Recovery{Target: target("k"), Expect: *was.Revision, Consent: admin.Force, Actor: "ana@devbox", Reason: "OOM", At: at})

	is := w.inspect(target("k"))
	require.Equal(t, ownership.StateIdle, is.State)
	require.Equal(t, was.Record.Session, is.Record.Session)
	require.Equal(t, was.Record.Owner, is.Record.Owner)
	require.Equal(t, *is.Revision, receipt.Revision)              // I10
	require.Equal(t, was.Record.Generation+1, receipt.Generation) // I2
	require.Equal(t, &ownership.ForcedRecovery{
		PreviousRevision:     *was.Revision,
		DisplacedOperationID: &was.Record.Owner.OperationID,
		DisplacedGeneration:  &was.Record.Generation,
		RecoveredAt:          ownership.At(at),
		Actor:                "ana@devbox",
		Reason:               "OOM",
		Liveness:             ownership.Gone,
		Survivors:            []ownership.Survivor{},
		Cleanup:              ownership.CleanupUnproved,
		Outcome:              ownership.OutcomeRequeued, // nobody says anything else
	}, is.Record.LastForcedRecovery)
	require.Equal(t, *was.Revision, receipt.PreviousRevision)
	w.own(plan{Key: "k"}).release() // the session goes on
}

func TestReceiptHasTheMembersOfTheContract(t *testing.T) {
	w := newWorld(t)
	i := w.strand(plan{Key: "k"})
	b, err := json.Marshal(w.recovered(admin.Recovery{Target: target("k"), Expect: *i.Revision, Consent: admin.Force}))
	require.NoError(t, err)
	var members map[string]any
	require.NoError(t, json.Unmarshal(b, &members))
	for _, name := range strings.Fields("key keyDigest previousRevision revision generation recoveredAt actor reason liveness cleanup outcome snapshot replayed settled") {
		require.Contains(t, members, name)
		delete(members, name)
	}
	require.Empty(t, members)
}

func TestActorIsWhoForcedUnlessSaidOtherwise(t *testing.T) {
	w := newWorld(t)
	i := w.strand(plan{Key: "k"})
	receipt := w.recovered(admin.Recovery{Target: target("k"), Expect: *i.Revision, Consent: admin.Force})
	host, err := os.Hostname()
	require.NoError(t, err)
	require.True(t, strings.HasSuffix(receipt.Actor, "@"+host), receipt.Actor)
}

// I7: no consent overrides a living owner.
func TestLivingOwnerIsNeverOverridden(t *testing.T) {
	w := newWorld(t)
	o := w.own(plan{Key: "k"})
	i := w.inspect(target("k"))
	everything := admin.Force | admin.AcceptUnproven | admin.Quarantine
	despite := []admin.ProcessRef{{PID: o.cmd.Process.Pid, StartTicks: i.Liveness.Holders[0].StartTicks}}
	refusal := w.refused(admin.Recovery{Target: target("k"), Expect: *i.Revision, Consent: everything, Despite: despite}, ownership.ReasonActiveOwner)
	require.Equal(t, o.cmd.Process.Pid, refusal.Inspection.Liveness.Holders[0].PID)
	o.release()
}

func TestPreviewSaysWhatForcingWouldDo(t *testing.T) {
	w := newWorld(t)
	worktree := t.TempDir()
	was := w.strand(plan{Key: "k", Facts: ownership.Facts{Worktree: &worktree}})
	r := admin.Recovery{Target: target("k"), Expect: *was.Revision, Actor: "-ana", Reason: "a reason"}
	p := w.previewed(r) // I8
	require.Equal(t, was.Record.Owner, p.Owner)
	require.NotEmpty(t, p.Evidence)
	require.Len(t, p.WorkAtRisk, 1)
	require.Equal(t, worktree, p.WorkAtRisk[0].Path)
	require.Contains(t, p.Effect.Kept, "worktree "+worktree)

	receipt := w.recovered(w.typed(p.Command))
	require.Equal(t, p.Effect.Generation, receipt.Generation)
	require.Equal(t, p.Effect.PreviousRevision, receipt.PreviousRevision)
	require.Equal(t, p.Effect.Liveness, receipt.Liveness)
	require.Equal(t, "-ana", receipt.Actor)
	require.Equal(t, "a reason", receipt.Reason)
}

func TestUnprovenNeedsItsOwnConsent(t *testing.T) {
	w := newWorld(t)
	i := w.unprove(plan{Key: "k"})
	r := admin.Recovery{Target: target("k"), Expect: *i.Revision, Consent: admin.Force}
	p := w.previewed(r)
	require.Contains(t, p.Command, "--accept-unproven")
	r.Consent = admin.AcceptUnproven
	w.previewed(r)
	require.Equal(t, ownership.Unproven, w.recovered(w.typed(p.Command)).Liveness)
}

func TestNothingToRecover(t *testing.T) {
	w := newWorld(t)
	everything := admin.Force | admin.AcceptUnproven | admin.Quarantine
	vacant := w.refused(admin.Recovery{Target: target("vacant"), Consent: everything}, ownership.ReasonNothingToRecover)
	require.Equal(t, ownership.StateVacant, vacant.Inspection.State)

	w.own(plan{Key: "k"}).release()
	i := w.inspect(target("k"))
	w.refused(admin.Recovery{Target: target("k"), Expect: *i.Revision, Consent: everything}, ownership.ReasonNothingToRecover)
	w.refused(admin.Recovery{Target: target("k"), Expect: *i.Record.PreviousRevision, Consent: everything}, ownership.ReasonNothingToRecover)
}

// A recovery whose answer was lost is asked for again.
func TestReplayReturnsTheSameReceipt(t *testing.T) {
	w := newWorld(t)
	i := w.strand(plan{Key: "k"})
	r := admin.Recovery{Target: target("k"), Expect: *i.Revision, Consent: admin.Force, Reason: "first"}
	first := w.recovered(r)
	r.Reason = "second"
	before := w.bytes()
	again := w.recovered(r)
	require.Equal(t, before, w.bytes())
	require.True(t, again.Replayed)
	again.Replayed = false
	require.Equal(t, first, again)

	r.Consent = 0
	refusal := w.refused(r, ownership.ReasonNothingToRecover)
	require.True(t, w.recovered(w.typed(refusal.Inspection.Next[0].Argv)).Replayed)

	r.Consent, r.Expect = admin.Force, first.Revision
	w.refused(r, ownership.ReasonNothingToRecover)
}

// A session that was used again since is not recovered a second time.
func TestReplayIsOverOnceTheSessionIsUsedAgain(t *testing.T) {
	w := newWorld(t)
	i := w.strand(plan{Key: "k"})
	r := admin.Recovery{Target: target("k"), Expect: *i.Revision, Consent: admin.Force}
	w.recovered(r)
	o := w.own(plan{Key: "k"})
	w.refused(r, ownership.ReasonActiveOwner)
	o.release()
	w.refused(r, ownership.ReasonNothingToRecover)
	w.strand(plan{Key: "k"})
	w.refused(r, ownership.ReasonRevisionMismatch)
}

func TestStaleRevisionSaysWhatIsThereNow(t *testing.T) {
	w := newWorld(t)
	w.own(plan{Key: "k"}).release()
	earlier := *w.inspect(target("k")).Record.PreviousRevision
	now := w.strand(plan{Key: "k"})
	for _, stale := range []ownership.Revision{earlier, {}, {1}} {
		refusal := w.refused(admin.Recovery{Target: target("k"), Expect: stale, Consent: admin.Force}, ownership.ReasonRevisionMismatch)
		require.Equal(t, *now.Revision, *refusal.Inspection.Revision) // I10
		require.Contains(t, refusal.Message, now.Revision.String())
		require.Contains(t, refusal.Message, now.Record.Owner.Host)
	}
	refusal := w.refused(admin.Recovery{Target: target("k"), Expect: earlier}, ownership.ReasonRevisionMismatch)
	require.Contains(t, refusal.Message, "an earlier record, of generation 1")
}

func TestPrivateSessionShowsTheTypedKey(t *testing.T) {
	w := newWorld(t)
	w.own(plan{Key: "secret", Private: true}).kill()
	i := w.inspect(target("secret"))
	require.Nil(t, i.Record.Key)
	require.Equal(t, "secret", *i.Key)

	unnamed := w.inspect(admin.ByDigest(target("secret").Digest))
	require.Nil(t, unnamed.Key)
	r := w.typed(unnamed.Next[1].Argv)
	require.Nil(t, r.Key)
	require.Nil(t, w.recovered(r).Key)
	r.Target = target("secret")
	require.Equal(t, "secret", *w.recovered(r).Key)
}

func TestKeyThatLooksLikeAFlagIsNamedByDigest(t *testing.T) {
	w := newWorld(t)
	i := w.strand(plan{Key: "--force"})
	r := w.typed(i.Next[1].Argv)
	require.Nil(t, r.Key)
	w.recovered(r)
}

func TestLastGenerationHasNoSuccessor(t *testing.T) {
	w := newWorld(t)
	i := w.strand(plan{Key: "k"})
	last := *i.Record
	last.Generation = ownership.MaxGeneration
	last.PreviousRevision = i.Revision
	b, err := ownership.Encode(last)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(w.file("k", "record.json"), b, 0o600))
	require.NoError(t, os.WriteFile(w.file("k", "life.9007199254740991"), nil, 0o600))
	i = w.inspect(target("k"))
	w.refused(admin.Recovery{Target: target("k"), Expect: *i.Revision, Consent: admin.Force | admin.AcceptUnproven}, ownership.ReasonStoreUnavailable)
}

func TestWordsThatNoRecordHoldsAreNamed(t *testing.T) {
	w := newWorld(t)
	i := w.strand(plan{Key: "k"})
	for _, r := range []admin.Recovery{{Actor: "two\nlines"}, {Reason: strings.Repeat("x", ownership.MaxTextSize+1)}} {
		r.Target, r.Expect, r.Consent = target("k"), *i.Revision, admin.Force
		before := w.bytes()
		_, err := admin.Recover(t.Context(), w.store, r)
		var field *ownership.FieldError
		require.ErrorAs(t, err, &field)
		require.Equal(t, before, w.bytes())
	}
}

// A recovery that is stopped while it holds the next generation is named, and nothing
// is taken from it.
func TestClaimedSessionIsRefused(t *testing.T) {
	t.Parallel() // it mostly waits
	w := newWorld(t)
	i := w.strand(plan{Key: "k"})
	hold, err := w.store.Hold(t.Context(), i.KeyDigest, i.Record.Generation+1)
	require.NoError(t, err)
	r := admin.Recovery{Target: target("k"), Expect: *i.Revision, Consent: admin.Force}
	refusal := w.refused(r, ownership.ReasonActiveOwner)
	require.Contains(t, refusal.Message, "at this moment")
	require.NoError(t, hold.Drop())
	w.recovered(r)
}

func TestOccupiedSessionIsRefused(t *testing.T) {
	t.Parallel() // it mostly waits
	w := newWorld(t)
	i := w.strand(plan{Key: "k"})
	free, ok := lease.Occupy(w.store, i.KeyDigest)
	require.True(t, ok)
	r := admin.Recovery{Target: target("k"), Expect: *i.Revision, Consent: admin.Force}
	w.refused(r, ownership.ReasonActiveOwner)
	free()
	w.recovered(r)
}
