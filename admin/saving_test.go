package admin_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/admin"
	"holdfast/admin/evidence"
	"holdfast/internal/testkit"
	"holdfast/ownership"
)

// work is a stranded session whose record names a repository with work in it.
type work struct {
	*world
	worktree string
	below    string // where its snapshots go
	r        admin.Recovery
}

const makeWork = `git init -q -b main .; git config user.name Ana; git config user.email ana@example.org; git config core.fsync none
echo x.log > .gitignore; echo one > one; echo two > two; git add .; git commit -qm first; echo stashed >> one; git stash -q
echo staged >> one; git add one; rm two; echo new > untracked; echo noise > x.log`

func newWork(t *testing.T) *work {
	t.Helper()
	w := &work{world: newWorld(t), worktree: workIn(t)}
	w.below = filepath.Join(filepath.Dir(w.path), "evidence")
	i := w.strand(plan{Key: "k", Facts: ownership.Facts{Worktree: &w.worktree}})
	w.r = admin.Recovery{Target: target("k"), Expect: *i.Revision, Consent: admin.Force, Saving: admin.Saving{Below: w.below}}
	return w
}

func workIn(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		testkit.Skip(t, "git is not installed")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	c := exec.Command("/bin/sh", "-euc", makeWork)
	c.Dir, c.Env = dir, append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	out, err := c.CombinedOutput()
	require.NoError(t, err, string(out))
	return dir
}

// snapshots returns what is where the snapshots go, but for what a kill left, and proves that each is whole.
func (w *work) snapshots() (dirs []string) {
	w.Helper()
	dirs, err := filepath.Glob(filepath.Join(w.below, "[^.]*"))
	require.NoError(w, err)
	for _, dir := range dirs {
		v, err := evidence.Verify(w.Context(), dir, nil)
		require.NoError(w, err)
		require.Empty(w, v.Differences)
	}
	return dirs
}

func TestWorkIsSavedBeforeItIsFreed(t *testing.T) {
	w := newWork(t)
	w.r.Saving.Taken = func(evidence.Taken) {
		require.Equal(t, ownership.StateStranded, w.inspect(target("k")).State)
	}
	receipt := w.recovered(w.r)
	dirs := w.snapshots()
	require.Len(t, dirs, 1)
	b, err := os.ReadFile(filepath.Join(dirs[0], evidence.ManifestName))
	require.NoError(t, err)
	sum := sha256.Sum256(b)
	require.Equal(t, &admin.Kept{Dir: &dirs[0], Manifest: hex.EncodeToString(sum[:])}, receipt.Snapshot)
	require.Equal(t, &receipt.Snapshot.Manifest, w.inspect(target("k")).Record.LastForcedRecovery.Evidence)

	again := w.recovered(w.r) // a replay saves nothing
	require.True(t, again.Replayed)
	require.Equal(t, receipt.Snapshot, again.Snapshot)
	require.Equal(t, dirs, w.snapshots())
	require.NoError(t, os.RemoveAll(dirs[0]))
	again = w.recovered(w.r)
	require.Equal(t, &admin.Kept{Manifest: receipt.Snapshot.Manifest}, again.Snapshot)
}

func TestNamedSnapshotIsFoundAgain(t *testing.T) {
	w := newWork(t)
	w.r.Saving.Dir = filepath.Join(t.TempDir(), "snap")
	receipt := w.recovered(w.r)
	require.Equal(t, w.r.Saving.Dir, *receipt.Snapshot.Dir)
	require.Empty(t, w.snapshots())
	require.Equal(t, receipt.Snapshot, w.recovered(w.r).Snapshot)
}

func TestNothingIsSavedWhereNothingIsToBe(t *testing.T) {
	w := newWork(t)
	w.r.Snapshot = admin.SnapshotSkip
	require.Nil(t, w.previewed(admin.Recovery{Target: w.r.Target, Expect: w.r.Expect, Snapshot: admin.SnapshotSkip}).Snapshot)
	require.Nil(t, w.recovered(w.r).Snapshot)
	i := w.strand(plan{Key: "bare"})
	w.r = admin.Recovery{Target: target("bare"), Expect: *i.Revision, Consent: admin.Force, Saving: w.r.Saving}
	require.Nil(t, w.recovered(w.r).Snapshot)
	require.Empty(t, w.snapshots())
}

func TestPreviewCountsTheWork(t *testing.T) {
	w := newWork(t)
	w.r.Consent = 0
	p := w.previewed(w.r)
	require.Len(t, p.WorkAtRisk, 1)
	c := p.WorkAtRisk[0].Counts
	require.NotNil(t, c, p.WorkAtRisk[0].Detail)
	require.Equal(t, []int{1, 1, 1, 1, 1, 1}, []int{c.Staged, c.Unstaged, c.Untracked, c.Ignored, c.Unpushed, c.Stashes})
	require.Equal(t, "1 staged, 1 unstaged, 1 untracked, 1 ignored, 1 commit on no remote, 1 stash", p.WorkAtRisk[0].Detail)
	require.Equal(t, &admin.Planned{Saves: []string{w.worktree}, Below: &w.below}, p.Snapshot)
	require.Empty(t, w.snapshots())
}

// What cannot be saved is not freed.
func TestFailedSnapshotStopsTheRecovery(t *testing.T) {
	w := newWork(t)
	for name, facts := range map[string]ownership.Facts{
		"no worktree": {Worktree: new("/no/such/tree")},
		"no tracker":  {Worktree: &w.worktree, Tracker: new("/no/such/tracker")},
		"no database": {Tracker: &w.worktree},
	} {
		i := w.strand(plan{Key: name, Facts: facts})
		r := admin.Recovery{Target: target(name), Expect: *i.Revision, Consent: admin.Force | admin.AcceptUnproven, Saving: w.r.Saving}
		refusal := w.refused(r, ownership.ReasonIO)
		require.Nil(t, w.recovered(w.typed(refusal.Inspection.Next[0].Argv)).Snapshot)
	}
	w.r.Saving.Dir = filepath.Join(w.worktree, "snap")
	w.refused(w.r, ownership.ReasonIO)
	require.Empty(t, w.snapshots())
}

// Files that change meanwhile are somebody's.
func TestMovedFilesNeedTheirOwnConsent(t *testing.T) {
	t.Parallel() // others wait meanwhile
	w := newWork(t)
	w.r.Saving.Progress = w.writing()
	w.r.Saving.Dir = filepath.Join(t.TempDir(), "snap")
	before := w.bytes()
	_, err := admin.Recover(t.Context(), w.store, w.r)
	require.Equal(t, before, w.bytes())
	var forced *admin.ForceRequired
	require.ErrorAs(t, err, &forced)
	require.Equal(t, ownership.ReasonForceRequired, forced.Refusal.Reason)
	require.Contains(t, forced.Refusal.Message, w.r.Saving.Dir)
	r := w.typed(forced.Preview.Command)
	require.True(t, r.Consent.Has(admin.AcceptUnproven))
	r.Saving.Below, r.Saving.Progress = w.below, w.writing()
	receipt := w.recovered(r)
	require.Equal(t, ownership.Unproven, receipt.Liveness)
	require.NotNil(t, receipt.Snapshot)
}

// writing changes the worktree while it is read.
func (w *work) writing() func(evidence.Progress) {
	n := 0
	return func(p evidence.Progress) {
		if n++; p.Step == "reading files" {
			require.NoError(w, os.WriteFile(filepath.Join(w.worktree, "untracked"), fmt.Append(nil, n), 0o600))
		}
	}
}

// Whoever recovers while another one still saves is first; the other gets that receipt.
func TestRecoveredMeanwhile(t *testing.T) {
	w := newWork(t)
	var first admin.Receipt
	var kept evidence.Taken
	w.r.Saving.Taken = func(taken evidence.Taken) {
		kept = taken
		w.r.Saving.Taken, w.r.Snapshot = nil, admin.SnapshotSkip
		first = w.recovered(w.r)
	}
	second := w.recovered(w.r)
	require.True(t, second.Replayed)
	require.Equal(t, first.Revision, second.Revision)
	require.Nil(t, second.Snapshot)
	require.Equal(t, []string{kept.Dir}, w.snapshots())
}

func TestBatchSavesEachRow(t *testing.T) {
	t.Parallel() // others wait meanwhile
	w := newWork(t)
	other := workIn(t)
	w.strand(plan{Key: "k2", Facts: ownership.Facts{Worktree: &other}})
	w.strand(plan{Key: "k3", Facts: ownership.Facts{Worktree: new("/no/such/tree")}})
	rows := w.rows()
	template := admin.Recovery{Consent: admin.Force, Saving: w.r.Saving}
	for range 2 {
		b := w.batch(rows, template)
		failed := 0
		for n, result := range b.results {
			if b.errs[n] != nil {
				failed++
				require.Equal(t, "k3", *result.Key)
				continue
			}
			require.Contains(t, w.snapshots(), *result.Receipt.Snapshot.Dir)
		}
		require.Equal(t, 1, failed)
		require.Len(t, w.snapshots(), 2)
	}
}

// Killed at any step, a recovery leaves whole evidence or none, and frees nothing without.
func TestKilledWhileSaving(t *testing.T) {
	t.Parallel()
	w := newWork(t)
	for n, finished := 0, false; !finished; n += testkit.Rounds(5, 1) {
		require.Less(t, n, 40)
		finished = w.killAt(n)
		i := w.inspect(target("k"))
		dirs := w.snapshots()
		require.Equal(t, finished, i.State == ownership.StateIdle)
		require.LessOrEqual(t, len(dirs), 1)
		if finished {
			require.NotNil(t, i.Record.LastForcedRecovery.Evidence)
			require.Len(t, dirs, 1)
		}
		require.NoError(t, os.RemoveAll(w.below))
	}
}

// killAt recovers in a process of its own and kills it at its n-th step, if it has so many.
func (w *work) killAt(n int) (finished bool) {
	w.Helper()
	arg, err := json.Marshal(crash{Store: w.path, Key: "k", Expect: w.r.Expect, Below: w.below})
	require.NoError(w, err)
	c := w.role("saver", string(arg))
	in, err := c.StdinPipe()
	require.NoError(w, err)
	out, err := c.StdoutPipe()
	require.NoError(w, err)
	require.NoError(w, c.Start())
	said := bufio.NewReader(out)
	for step := 0; ; step++ {
		if _, err = said.ReadString('\n'); err == io.EOF {
			require.NoError(w, c.Wait())
			return true
		}
		require.NoError(w, err)
		if step == n {
			break
		}
		_, err = io.WriteString(in, "on\n")
		require.NoError(w, err)
	}
	require.NoError(w, c.Process.Kill())
	require.Error(w, c.Wait())
	return false
}

// saverRole recovers, and waits at every step of the snapshot until it is told to go on.
func saverRole(arg string) {
	var c crash
	must(json.Unmarshal([]byte(arg), &c))
	answers, step := bufio.NewReader(os.Stdin), ""
	_, err := admin.Recover(context.Background(), opened(c.Store), admin.Recovery{
		Target: target(c.Key), Expect: c.Expect, Consent: admin.Force,
		Saving: admin.Saving{Below: c.Below, Progress: func(p evidence.Progress) {
			if p.Step != step {
				step = p.Step
				fmt.Println(step)
				_, _ = answers.ReadString('\n')
			}
		}},
	})
	must(err)
}
