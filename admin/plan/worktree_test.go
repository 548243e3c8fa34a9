package plan_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/admin/evidence"
	"holdfast/admin/plan"
	"holdfast/lease"
	"holdfast/ownership"
)

func TestWorktreeIsRemovedAndRebuilt(t *testing.T) {
	w := newWorld(t)
	wt := w.worktree()
	w.idle(part{Key: "k", Facts: worktreeFacts(wt)})
	p := w.make("k", kept)
	item := w.proposed(p, plan.RemoveWorktree)
	require.Equal(t, plan.Irreversible, item.Gate)
	w.done(p, plan.RemoveWorktree)
	require.NoDirExists(t, wt)
	require.NotContains(t, w.git("-C", "repo", "worktree", "list"), wt)
	require.Equal(t, plan.Already, w.apply(p, plan.RemoveWorktree).Results[0].Status)

	_, err := evidence.Restore(t.Context(), p.Snapshot.Dir, item.Steps[0].Rollback.Argv[5], evidence.RestoreOptions{})
	require.NoError(t, err)
	b, err := os.ReadFile(filepath.Join(wt, "new"))
	require.NoError(t, err)
	require.Equal(t, "nowhere else", string(b))
}

func TestWorktreeStays(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		arrange func(w *world, wt string)
		options plan.Options
		why     string
	}{
		"locked":            {func(w *world, wt string) { w.git("-C", "repo", "worktree", "lock", "--reason", "mine", wt) }, kept, `"mine"`},
		"without snapshot":  {func(*world, string) {}, plan.Options{}, "no snapshot"},
		"ignored left out":  {func(w *world, wt string) { w.ignored(wt) }, kept, "ignored files"},
		"somebody is in it": {func(w *world, wt string) { w.inhabit(wt) }, kept, "works in it"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			wt := w.worktree()
			w.idle(part{Key: "k", Facts: worktreeFacts(wt)})
			c.arrange(w, wt)
			require.Contains(t, w.withheld(w.make("k", c.options), plan.RemoveWorktree), c.why)
		})
	}
}

func (w *world) ignored(wt string) {
	w.write(filepath.Join(wt, ".gitignore"), "*.o\n")
	w.write(filepath.Join(wt, "x.o"), "built")
}

func (w *world) inhabit(dir string) {
	w.Helper()
	c := exec.Command("sleep", "300")
	c.Dir = dir
	require.NoError(w, c.Start())
	w.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
}

func TestIgnoredFilesCanBeKept(t *testing.T) {
	w := newWorld(t)
	wt := w.worktree()
	w.idle(part{Key: "k", Facts: worktreeFacts(wt)})
	w.ignored(wt)
	p := w.make("k", plan.Options{Keeping: plan.KeepWork, IncludeIgnored: true})
	w.done(p, plan.RemoveWorktree)
}

func TestActiveSessionsKeepTheirWorktree(t *testing.T) {
	w := newWorld(t)
	wt := w.worktree()
	o := w.own(part{Key: "k", Facts: worktreeFacts(wt)})
	require.Contains(t, w.withheld(w.make("k", kept), plan.RemoveWorktree), "held")
	o.kill()
	require.Contains(t, w.withheld(w.make("k", kept), plan.RemoveWorktree), "stranded")
}

func TestPlansNoticeWhatHappensAfterThem(t *testing.T) {
	w := newWorld(t)
	wt := w.worktree()
	w.idle(part{Key: "k", Facts: worktreeFacts(wt)})
	p := w.make("k", kept)

	w.git("-C", "repo", "worktree", "lock", wt)
	w.refused(p, ownership.ReasonRevisionMismatch, plan.RemoveWorktree)
	w.git("-C", "repo", "worktree", "unlock", wt)

	damaged := filepath.Join(p.Snapshot.Dir, "git", "history.bundle")
	whole, err := os.ReadFile(damaged)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(damaged, whole[1:], 0o600))
	w.refused(p, ownership.ReasonRevisionMismatch, plan.RemoveWorktree)
	require.DirExists(t, wt)

	w.write(filepath.Join(wt, "newer"), "after the plan")
	r := w.apply(p, plan.RemoveWorktree)
	require.True(t, r.Anew, "the worker wrote since")
	require.Equal(t, 1, r.Count(plan.Done), "%+v", r)
	into := filepath.Join(w.dir, "again")
	_, err = evidence.Restore(t.Context(), r.Snapshot.Dir, into, evidence.RestoreOptions{})
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(into, "newer"))
}

// While somebody is acquiring the session, its worktree is not removed (I4).
func TestRemovalHasTheSessionToItself(t *testing.T) {
	w := newWorld(t)
	wt := w.worktree()
	w.idle(part{Key: "k", Facts: worktreeFacts(wt)})
	p := w.make("k", kept)
	hold, err := w.store.Hold(t.Context(), p.KeyDigest, *p.Generation+1)
	require.NoError(t, err)
	r := w.apply(p, plan.RemoveWorktree)
	require.True(t, r.Stopped)
	require.Contains(t, r.Results[0].Detail, lease.ErrHeld.Error())
	require.DirExists(t, wt)
	require.NoError(t, hold.Drop())
	w.done(p, plan.RemoveWorktree)
}

func TestMainWorktreesAreNeitherLockedNorRemoved(t *testing.T) {
	w := newWorld(t)
	w.worktree()
	w.idle(part{Key: "k", Facts: worktreeFacts(filepath.Join(w.dir, "repo"))})
	p := w.make("k", kept)
	require.Empty(t, p.Items)
	require.NotNil(t, p.Snapshot)
}

func TestBranchGoesWithItsWorktree(t *testing.T) {
	w := newWorld(t)
	wt := w.worktree()
	w.idle(part{Key: "k", Facts: worktreeFacts(wt)})
	hook := filepath.Join(w.dir, "repo", ".git", "hooks", "reference-transaction")
	w.write(hook, "#!/bin/sh\ntouch "+filepath.Join(w.dir, "trap")+"\n")
	require.NoError(t, os.Chmod(hook, 0o755))
	p := w.make("k", kept)
	item := w.proposed(p, plan.RemoveBranch)
	w.done(p, plan.RemoveBranch)
	require.NoDirExists(t, wt)
	require.NotContains(t, w.git("-C", "repo", "branch"), "topic")
	require.NoFileExists(t, filepath.Join(w.dir, "trap"), "a hook of the repository was run")
	w.git(item.Steps[1].Rollback.Argv[1:]...)
	require.Contains(t, w.git("-C", "repo", "branch"), "topic")
}

// Killed between its two commands, or after half of the first, the removal of a branch is finished; and it is found done.
func TestBranchWhoseWorktreeIsGone(t *testing.T) {
	for name, lose := range map[string]func(w *world, p plan.Plan, wt string){
		"removed":       func(w *world, p plan.Plan, _ string) { w.done(p, plan.RemoveWorktree) },
		"still listed":  func(w *world, _ plan.Plan, wt string) { require.NoError(w, os.RemoveAll(wt)) },
		"removed aside": func(w *world, _ plan.Plan, wt string) { w.git("-C", "repo", "worktree", "remove", "--force", wt) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			wt := w.worktree()
			w.idle(part{Key: "k", Facts: worktreeFacts(wt)})
			p := w.make("k", kept)
			lose(w, p, wt)
			w.done(p, plan.RemoveBranch)
			require.NotContains(t, w.git("-C", "repo", "branch"), "topic")
			require.NotContains(t, w.git("-C", "repo", "worktree", "list"), "topic")
			r := w.apply(p, plan.RemoveBranch)
			require.Equal(t, plan.Already, r.Results[0].Status, "%+v", r)
		})
	}
}

// That a plan says that its snapshot has everything, or that it is of this worktree, proves nothing.
func TestSnapshotThatAPlanSpeaksWellOf(t *testing.T) {
	w := newWorld(t)
	wt := w.worktree()
	w.write(filepath.Join(w.dir, "repo", ".git", "info", "exclude"), "secret\n")
	w.write(filepath.Join(wt, "secret"), "ignored, and nowhere else")
	w.idle(part{Key: "k", Facts: worktreeFacts(wt)})
	w.idle(part{Key: "other", Facts: worktreeFacts(wt)})
	for _, id := range []string{plan.RemoveWorktree, plan.RemoveBranch} {
		honest := w.make("k", plan.Options{Keeping: plan.KeepWork, IncludeIgnored: true})
		partial := w.make("k", kept)
		partial.Items, partial.Snapshot.LeavesOut = honest.Items, []string{}
		item := w.proposed(partial, id)
		item.Steps[0].Rollback.Argv[3] = partial.Snapshot.Dir
		r := w.apply(partial, id)
		require.True(t, r.Stopped, "%+v", r)
		anothers := honest
		anothers.Snapshot = w.make("other", plan.Options{Keeping: plan.KeepWork, IncludeIgnored: true}).Snapshot
		item = w.proposed(anothers, id)
		item.Steps[0].Rollback.Argv[3] = anothers.Snapshot.Dir
		r = w.apply(anothers, id)
		require.True(t, r.Stopped, "%+v", r)
	}
	require.FileExists(t, filepath.Join(wt, "secret"))
}

// A branch that went on after its worktree was removed stays, and so does one that only a plan file names.
func TestBranchThatIsAnotherStays(t *testing.T) {
	w := newWorld(t)
	wt := w.worktree()
	w.idle(part{Key: "k", Facts: worktreeFacts(wt)})
	p := w.make("k", kept)
	w.done(p, plan.RemoveWorktree)
	w.git("-C", "repo", "branch", "other", "topic")
	forged := p
	forged.Items = slices.Clone(p.Items)
	for n, i := range forged.Items {
		if i.ID == plan.RemoveBranch {
			forged.Items[n].Steps = slices.Clone(i.Steps)
			argv := slices.Clone(i.Steps[1].Argv)
			argv[len(argv)-1] = "other"
			forged.Items[n].Steps[1].Argv = argv
		}
	}
	w.refused(forged, ownership.ReasonRevisionMismatch, plan.RemoveBranch)
	w.git("-C", "repo", "checkout", "-q", "topic")
	w.git("-C", "repo", "commit", "-q", "--allow-empty", "-m", "later")
	w.git("-C", "repo", "checkout", "-q", "other")
	w.refused(p, ownership.ReasonRevisionMismatch, plan.RemoveBranch)
	require.Contains(t, w.git("-C", "repo", "branch"), "topic")
}

// What needs no snapshot can be done though the worktree is gone.
func TestPlanOfAWorktreeThatIsGone(t *testing.T) {
	w := newWorld(t)
	wt := w.worktree()
	w.strand(part{Key: "k", Facts: worktreeFacts(wt)})
	require.NoError(t, os.RemoveAll(wt))
	p := w.make("k", kept)
	require.Nil(t, p.Snapshot)
	require.NotEmpty(t, w.withheld(p, "snapshot"))
	require.Contains(t, w.proposed(p, plan.Recover).Steps[0].Argv, "--no-snapshot")
	w.done(p, plan.Recover)
}

// meanwhile applies a plan after something was written, and does something at one step of the new snapshot.
func (w *world) meanwhile(p plan.Plan, id, step string, do func()) plan.Result {
	w.Helper()
	w.write(filepath.Join(*w.inspect("k").Record.Session.Worktree, "newer"), "after the plan")
	once := sync.OnceFunc(do)
	r, err := plan.Apply(w.Context(), w.store, p, plan.Approval{IDs: []string{id}, Progress: func(p evidence.Progress) {
		if p.Step == step {
			once()
		}
	}})
	require.NoError(w, err)
	require.True(w, r.Anew)
	require.True(w, r.Stopped, "%+v", r)
	require.Equal(w, plan.Failed, r.Results[0].Status)
	return r.Results[0]
}

// The session is acquired by somebody else between the comparison and the first step.
func TestSessionAcquiredMeanwhileIsLeftAlone(t *testing.T) {
	for _, id := range []string{plan.LockWorktree, plan.RemoveWorktree} {
		t.Run(id, func(t *testing.T) {
			w := newWorld(t)
			wt := w.worktree()
			w.idle(part{Key: "k", Facts: worktreeFacts(wt)})
			r := w.meanwhile(w.make("k", kept), id, "done", func() { w.own(part{Key: "k"}) })
			require.Contains(t, r.Detail, lease.ErrConflict.Error())
			require.DirExists(t, wt)
			require.NotContains(t, w.git("-C", "repo", "worktree", "list", "--porcelain"), "locked")
		})
	}
}

func TestWorkWrittenAfterTheSnapshotIsNotRemoved(t *testing.T) {
	w := newWorld(t)
	wt := w.worktree()
	w.idle(part{Key: "k", Facts: worktreeFacts(wt)})
	r := w.meanwhile(w.make("k", kept), plan.RemoveWorktree, "done", func() { w.write(filepath.Join(wt, "last"), "work") })
	require.Contains(t, r.Detail, "somebody wrote in it")
	require.FileExists(t, filepath.Join(wt, "last"))
}

// A git that outlived whoever applied the plan before locks the worktree at this moment.
func TestLockedMeanwhileForThisIsDone(t *testing.T) {
	w := newWorld(t)
	wt := w.worktree()
	w.idle(part{Key: "k", Facts: worktreeFacts(wt)})
	p := w.make("k", kept)
	argv := w.proposed(p, plan.LockWorktree).Steps[0].Argv
	w.write(filepath.Join(wt, "newer"), "after the plan")
	locks := sync.OnceFunc(func() { require.NoError(t, exec.Command(argv[0], argv[1:]...).Run()) })
	r, err := plan.Apply(t.Context(), w.store, p, plan.Approval{IDs: []string{plan.LockWorktree}, Progress: func(p evidence.Progress) {
		if p.Step == "done" {
			locks()
		}
	}})
	require.NoError(t, err)
	require.False(t, r.Stopped, "%+v", r)
	require.Equal(t, plan.Already, r.Results[0].Status)
}
