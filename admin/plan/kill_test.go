package plan_test

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/admin/plan"
	"holdfast/internal/testkit"
	"holdfast/ownership"
)

// Killed at any moment and applied again, a plan is done once: one lock, one recovery.
func TestKilledAndAppliedAgain(t *testing.T) {
	w := newWorld(t)
	wt := w.worktree()
	rounds := testkit.Rounds(4, 60)
	for n := range rounds {
		key := "k" + strings.Repeat("x", n)
		w.strand(part{Key: key, Facts: worktreeFacts(wt)})
		p := w.make(key, plan.Options{})
		b, err := p.Encode()
		require.NoError(t, err)
		file := filepath.Join(w.dir, "plan.json")
		require.NoError(t, os.WriteFile(file, b, 0o600))
		w.killAfter(file, time.Duration(n)*300*time.Millisecond/time.Duration(rounds))
		r := w.apply(p, plan.LockWorktree, plan.Recover)
		require.False(t, r.Stopped, "%+v", r)
		i := w.inspect(key)
		require.Equal(t, ownership.StateIdle, i.State)
		require.EqualValues(t, 2, i.Record.Generation, "recovered once")
		require.Equal(t, p.Revision, *i.Record.PreviousRevision)
		w.git("-C", "repo", "worktree", "unlock", wt)
	}
}

// killAfter starts to apply a plan, and kills that some time after it has begun.
func (w *world) killAfter(file string, d time.Duration) {
	w.Helper()
	c := w.role("applier", w.path, file, plan.LockWorktree, plan.Recover)
	out, err := c.StdoutPipe()
	require.NoError(w, err)
	require.NoError(w, c.Start())
	require.True(w, bufio.NewScanner(out).Scan())
	time.Sleep(d) // which moment is hit does not matter: every one has to do
	_ = c.Process.Kill()
	_ = c.Wait()
}
