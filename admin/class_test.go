package admin_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/admin"
	"holdfast/lease"
	"holdfast/ownership"
)

// classes returns the class of every session by its key, "" where it has none, after one
// closer look at all of them.
func (w *world) classes() map[string]admin.WideRow {
	w.Helper()
	found := map[string]admin.WideRow{}
	for row, err := range admin.ListWide(w.Context(), w.store, nil) {
		require.NoError(w, err)
		found[*row.Key] = row
	}
	return found
}

// still owns a session and is stopped: it uses no processor time, and says nothing more
// than its pulse.
func (w *world) still(key string, f ownership.Facts, phase lease.Phase) *owner {
	w.Helper()
	o := w.own(plan{Key: key, Facts: f})
	if phase != "" {
		i := w.inspect(target(key))
		p := lease.Pulse{Generation: i.Record.Generation, Phase: phase, At: ownership.At(time.Now())}
		require.NoError(w, lease.WritePulse(w.Context(), w.store, i.KeyDigest, p))
	}
	require.NoError(w, o.cmd.Process.Signal(syscall.SIGSTOP))
	return o
}

// growing is a file that is written to until the end of the test.
func growing(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log")
	c := exec.Command("/bin/sh", "-c", `while :; do echo line; sleep 0.02; done >"$0"`, path)
	require.NoError(t, c.Start())
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	require.Eventually(t, func() bool { _, err := os.Stat(path); return err == nil }, time.Minute, time.Millisecond)
	return path
}

// burning is a process that carries the operation id of a session's owner.
func (w *world) burning(key string) {
	w.Helper()
	c := exec.Command("/bin/sh", "-c", "while :; do :; done")
	c.Env = append(os.Environ(), "SESSION_OPERATION_ID="+w.inspect(target(key)).Record.Owner.OperationID.String())
	require.NoError(w, c.Start())
	w.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
}

func TestClassSaysWhatBecameOfTheWorker(t *testing.T) {
	t.Parallel() // others wait meanwhile
	w := newWorld(t)
	dirty, clean, log := workIn(t), pushedIn(t), growing(t)
	w.still("quiet", ownership.Facts{}, "")
	w.still("says working", ownership.Facts{}, lease.PhaseWorking)
	w.still("says waiting", ownership.Facts{}, lease.PhaseWaitingInput)
	w.still("writes", ownership.Facts{Transcript: &log}, lease.PhaseWaitingInput)
	w.still("burns", ownership.Facts{}, "")
	w.burning("burns")
	w.strand(plan{Key: "dirty", Facts: ownership.Facts{Worktree: &dirty}})
	w.strand(plan{Key: "clean", Facts: ownership.Facts{Worktree: &clean}})
	w.strand(plan{Key: "bare"})
	w.strand(plan{Key: "lost", Facts: ownership.Facts{Worktree: new("/no/such/tree")}})
	w.own(plan{Key: "survived", Survivor: true}).kill()
	w.unprove(plan{Key: "unproven"})
	w.own(plan{Key: "idle", Facts: ownership.Facts{Worktree: &dirty}}).release()
	w.unlock("unlocked")

	var is map[string]admin.WideRow
	w.eventually(func() bool { // on a busy machine what works need not have had its turn between two looks
		is = w.classes()
		return progresses(is["writes"]) && progresses(is["burns"])
	})
	for key, want := range map[string]admin.Class{
		"quiet": admin.ClassUnknown, "says working": admin.ClassProgressing, "says waiting": admin.ClassWaiting,
		"writes": admin.ClassProgressing, "burns": admin.ClassProgressing,
		"dirty": admin.ClassAtRisk, "clean": admin.ClassNothingLost, "bare": admin.ClassNothingLost, "lost": admin.ClassUnknown,
		"survived": admin.ClassMisrecorded, "unproven": admin.ClassUnknown, "unlocked": admin.ClassMisrecorded,
	} {
		row := is[key]
		require.NotNil(t, row.Class, key)
		require.Equal(t, want, admin.Class(*row.Class), "%s: %+v", key, row.ClassEvidence)
		require.NotEmpty(t, row.ClassEvidence, key)
		require.NotEmpty(t, want.Meaning())
	}
	require.Nil(t, is["idle"].Class)
	require.Empty(t, is["idle"].ClassEvidence)
	require.Equal(t, 1, is["dirty"].WorkAtRisk[0].Counts.Stashes)
	require.Nil(t, is["quiet"].WorkAtRisk)
	require.Nil(t, is["idle"].WorkAtRisk, "nobody's work")
	require.True(t, admin.LooksIntoWork(w.inspect(target("dirty"))))
	require.False(t, admin.LooksIntoWork(w.inspect(target("idle"))))
	require.False(t, admin.LooksIntoWork(w.inspect(target("bare"))))
}

func progresses(row admin.WideRow) bool {
	return row.Class != nil && admin.Class(*row.Class) == admin.ClassProgressing
}

// unlock leaves an owner that lives, and whose life lock's name is gone.
func (w *world) unlock(key string) {
	w.Helper()
	w.own(plan{Key: key})
	removeLife(w, key)
}

// pushedIn is a repository whose every commit is on a remote.
func pushedIn(t *testing.T) string {
	t.Helper()
	dir := workIn(t)
	c := exec.Command("/bin/sh", "-euc", `git stash drop -q; git reset -q --hard; git clean -qfdx; git init -q --bare "$0"; git push -q "$0" main
git remote add origin "$0"; git fetch -q origin`, filepath.Join(t.TempDir(), "remote"))
	c.Dir, c.Env = dir, append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	out, err := c.CombinedOutput()
	require.NoError(t, err, string(out))
	return dir
}

// The work of a living owner is counted where one session is looked at.
func TestCloserLookCountsTheWorkOfTheLivingToo(t *testing.T) {
	w := newWorld(t)
	dirty := workIn(t)
	w.still("k", ownership.Facts{Worktree: &dirty}, lease.PhaseWorking)
	before := w.bytes()
	c := admin.Classify(t.Context(), w.store, w.inspect(target("k")))
	require.Equal(t, before, w.bytes()) // I8
	require.Equal(t, admin.ClassProgressing, admin.Class(*c.Class))
	require.True(t, strings.HasPrefix(c.WorkAtRisk[0].Detail, "1 staged"), c.WorkAtRisk[0].Detail)
}
