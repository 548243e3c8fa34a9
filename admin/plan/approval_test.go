package plan_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/admin"
	"holdfast/admin/plan"
	"holdfast/lease"
	"holdfast/ownership"
)

func worktreeFacts(wt string) ownership.Facts { return ownership.Facts{Worktree: &wt} }

func requireRefused(t *testing.T, err error, why ownership.Reason) {
	t.Helper()
	var refusal *lease.Refusal
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, why, refusal.Reason, refusal.Message)
}

func TestNothingIsDoneUnapproved(t *testing.T) {
	w := newWorld(t)
	w.own(part{Key: "k", Facts: worktreeFacts(w.worktree())})
	p := w.make("k", plan.Options{})
	refusal := w.refused(p, ownership.ReasonForceRequired)
	require.Equal(t, []string{"session", "apply", "p.json", "--approve", plan.LockWorktree}, refusal.Inspection.Next[0].Argv)
	w.refused(p, ownership.ReasonForceRequired, plan.LockWorktree, plan.StopWorker)
	_, err := plan.Apply(t.Context(), w.store, p, plan.Approval{IDs: []string{"rm -rf /"}})
	var unknown *plan.UnknownItemError
	require.ErrorAs(t, err, &unknown)
	require.Equal(t, ownership.StateHeld, w.inspect("k").State)
}

// A plan says what was proposed; what is done is derived afresh (I12).
func TestWordsOfAPlanAreNeverExecuted(t *testing.T) {
	w := newWorld(t)
	trap := filepath.Join(w.dir, "trap")
	resume := "touch " + trap
	facts := worktreeFacts(w.worktree())
	facts.Resume = &resume
	w.strand(part{Key: "k", Facts: facts})
	for _, id := range []string{plan.LockWorktree, plan.Recover} {
		p := w.make("k", plan.Options{})
		for n, i := range p.Items {
			if i.ID == id {
				p.Items[n].Steps[0].Argv = []string{"touch", trap}
			}
		}
		w.refused(p, ownership.ReasonRevisionMismatch, id)
	}
	p := w.make("k", plan.Options{})
	p.Items[0].Gate = plan.Irreversible
	w.refused(p, ownership.ReasonRevisionMismatch, p.Items[0].ID)
	r := w.apply(w.make("k", plan.Options{}), plan.LockWorktree, plan.Recover)
	require.False(t, r.Stopped)
	_, err := os.Lstat(trap)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestOnlyWhatWasMadeIsAPlan(t *testing.T) {
	w := newWorld(t)
	w.strand(part{Key: "k"})
	b, err := w.make("k", plan.Options{}).Encode()
	require.NoError(t, err)
	for _, bad := range [][]byte{nil, []byte("{}\n"), b[:len(b)-1], append(b[:len(b):len(b)], '\n'), append([]byte(" "), b...), b[:len(b)/2], make([]byte, plan.MaxSize+1)} {
		_, err := plan.Decode(bad)
		require.ErrorIs(t, err, plan.ErrNotPlan)
	}
}

func TestVacantSessionsHaveNoPlan(t *testing.T) {
	w := newWorld(t)
	_, err := plan.Make(t.Context(), w.store, target("nobody"), kept)
	var refusal *lease.Refusal
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, ownership.ReasonNothingToRecover, refusal.Reason)
}

// The session was recovered and acquired by somebody else since.
func TestPlanOfAnotherRevisionIsStale(t *testing.T) {
	w := newWorld(t)
	w.idle(part{Key: "k", Facts: worktreeFacts(w.worktree())})
	p := w.make("k", kept)
	w.proposed(p, plan.RemoveWorktree)
	w.own(part{Key: "k"})
	for _, id := range []string{plan.LockWorktree, plan.RemoveWorktree} {
		refusal := w.refused(p, ownership.ReasonRevisionMismatch, id)
		require.Equal(t, []string{"session", "plan", "k"}, refusal.Inspection.Next[0].Argv)
	}
	require.DirExists(t, filepath.Join(w.dir, "wt"))
	other := loneWorld(t)
	other.idle(part{Key: "k"})
	other.refused(p, ownership.ReasonRevisionMismatch, plan.LockWorktree)
}

func TestApprovalsAndResultsAreInHistory(t *testing.T) {
	w := newWorld(t)
	w.strand(part{Key: "k", Facts: worktreeFacts(w.worktree())})
	p := w.make("k", kept)
	r := w.apply(p, plan.LockWorktree, plan.Recover)
	require.Equal(t, 2, r.Count(plan.Done))
	require.NoError(t, r.Unrecorded)
	require.Equal(t, ownership.StateIdle, w.inspect("k").State)
	m := w.inspect("k").Record.LastForcedRecovery
	require.Equal(t, "ana", m.Actor)
	require.NotNil(t, m.Evidence)
	require.Equal(t, []string{"approve lock-worktree", "apply lock-worktree: done", "approve recover", "apply recover: done"}, w.events("k"))
	reason := w.git("-C", "repo", "worktree", "list", "--porcelain")
	require.Contains(t, reason, `may have work here`)
}

// What cannot be recorded is not begun.
func TestApprovalThatCannotBeRecordedDoesNothing(t *testing.T) {
	w := newWorld(t)
	w.strand(part{Key: "k", Facts: worktreeFacts(w.worktree())})
	p := w.make("k", plan.Options{})
	require.NoError(t, os.Mkdir(filepath.Join(w.path, "journal.db"), 0o700))
	r := w.apply(p, plan.LockWorktree, plan.Recover)
	require.True(t, r.Stopped)
	require.Equal(t, plan.Failed, r.Results[0].Status)
	require.Equal(t, plan.NotRun, r.Results[1].Status)
	require.Equal(t, ownership.StateStranded, w.inspect("k").State)
	require.NotContains(t, w.git("-C", "repo", "worktree", "list", "--porcelain"), "locked")
}

func TestFailedStepStopsTheRest(t *testing.T) {
	w := newWorld(t)
	w.strand(part{Key: "k", Facts: worktreeFacts(w.worktree())})
	p := w.make("k", plan.Options{})
	admins := filepath.Join(w.dir, "repo", ".git", "worktrees", "wt")
	require.NoError(t, os.WriteFile(filepath.Join(admins, "gitdir"), []byte("elsewhere\n"), 0o644))
	r := w.apply(p, plan.LockWorktree, plan.Recover)
	require.True(t, r.Stopped)
	require.Equal(t, plan.Failed, r.Results[0].Status)
	require.NotEmpty(t, r.Results[0].Detail)
	require.Equal(t, plan.NotRun, r.Results[1].Status)
	require.Equal(t, plan.NotRun, r.Results[1].Steps[0].Status)
	require.Equal(t, ownership.StateStranded, w.inspect("k").State)
	require.Contains(t, w.events("k")[1], "apply lock-worktree: failed, ")
}

// A recovery whose answer was lost is asked for again by the same approval.
func TestApplyingAgainReturnsTheSameReceipt(t *testing.T) {
	w := newWorld(t)
	w.strand(part{Key: "k", Facts: worktreeFacts(w.worktree())})
	p := w.make("k", plan.Options{})
	first := w.apply(p, plan.LockWorktree, plan.Recover).Results[1].Receipt
	again := w.apply(p, plan.LockWorktree, plan.Recover)
	require.Equal(t, 2, again.Count(plan.Already))
	require.Equal(t, first.Revision, again.Results[1].Receipt.Revision)
	require.True(t, again.Results[1].Receipt.Replayed)
	w.refused(p, ownership.ReasonRevisionMismatch, plan.LockWorktree)
	i := w.inspect("k")
	require.Equal(t, admin.ByDigest(i.KeyDigest).Digest, target("k").Digest)
	require.EqualValues(t, 2, i.Record.Generation)
}
