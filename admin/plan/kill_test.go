package plan_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/admin/evidence"
	"holdfast/admin/plan"
	"holdfast/internal/testkit"
	"holdfast/ownership"
)

// Killed at any moment and applied again, a plan is done once: one lock, one recovery.
func TestKilledAndAppliedAgain(t *testing.T) {
	w := newWorld(t)
	wt := w.worktree()
	rounds := testkit.Rounds(2, 60)
	for n := range rounds {
		key := "k" + strings.Repeat("x", n)
		w.strand(part{Key: key, Facts: worktreeFacts(wt)})
		p := w.make(key, plan.Options{})
		b, err := p.Encode()
		require.NoError(t, err)
		file := filepath.Join(w.dir, "plan.json")
		require.NoError(t, os.WriteFile(file, b, 0o600))
		w.killAfter(file, []string{plan.LockWorktree, plan.Recover}, time.Duration(n)*300*time.Millisecond/time.Duration(rounds))
		r := w.apply(p, plan.LockWorktree, plan.Recover)
		require.False(t, r.Stopped, "%+v", r)
		i := w.inspect(key)
		require.Equal(t, ownership.StateIdle, i.State)
		require.EqualValues(t, 2, i.Record.Generation, "recovered once")
		require.Equal(t, p.Revision, *i.Record.PreviousRevision)
		w.git("-C", "repo", "worktree", "unlock", wt)
	}
}

// A removal that was killed half-way is finished, and the plan's own snapshot has all of the work whatever happened.
func TestKilledRemoval(t *testing.T) {
	rounds := testkit.Rounds(1, 20)
	for n := range rounds {
		w := loneWorld(t)
		wt := w.worktree()
		for i := range 200 {
			w.write(filepath.Join(wt, fmt.Sprint("file", i)), "nowhere else")
		}
		w.idle(part{Key: "k", Facts: worktreeFacts(wt)})
		p := w.make("k", kept)
		b, err := p.Encode()
		require.NoError(t, err)
		file := filepath.Join(w.dir, "plan.json")
		require.NoError(t, os.WriteFile(file, b, 0o600))
		w.killAfter(file, []string{plan.RemoveWorktree}, time.Duration(n+1)*150*time.Millisecond/time.Duration(rounds))
		w.eventually(func() bool { // git may still be at it, which nobody who kills us ends
			r, err := plan.Apply(t.Context(), w.store, p, plan.Approval{IDs: []string{plan.RemoveWorktree}})
			return err == nil && !r.Stopped
		})
		require.NoDirExists(t, wt)
		into := filepath.Join(w.dir, "again")
		_, err = evidence.Restore(t.Context(), p.Snapshot.Dir, into, evidence.RestoreOptions{})
		require.NoError(t, err)
		require.FileExists(t, filepath.Join(into, "file199"))
	}
}

// killAfter starts to apply a plan, and kills that some time after it has begun.
func (w *world) killAfter(file string, ids []string, d time.Duration) {
	w.Helper()
	c := w.role("applier", append([]string{w.path, file}, ids...)...)
	out, err := c.StdoutPipe()
	require.NoError(w, err)
	require.NoError(w, c.Start())
	require.True(w, bufio.NewScanner(out).Scan())
	time.Sleep(d) // which moment is hit does not matter: every one has to do
	_ = c.Process.Kill()
	_ = c.Wait()
}
