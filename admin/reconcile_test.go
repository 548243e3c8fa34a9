package admin_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/admin"
	"holdfast/admin/settle"
	"holdfast/internal/probe"
	"holdfast/internal/testkit"
	"holdfast/lease"
	"holdfast/ownership"
)

// reconciled is the rows of a pass by key, or by digest where there is none.
type reconciled map[string]admin.Reconciled

func (w *world) reconcile(consent admin.PassConsent) reconciled {
	w.Helper()
	rows, failed := w.reconcileWith(w.store, consent, nil)
	require.Empty(w, failed)
	return rows
}

// reconcileWith calls between for each row as it comes.
func (w *world) reconcileWith(s lease.Store, consent admin.PassConsent, between func(admin.Reconciled)) (rows reconciled, failed map[string]error) {
	w.Helper()
	rows, failed = reconciled{}, map[string]error{}
	for r, err := range admin.Reconcile(w.Context(), s, consent) {
		name := r.KeyDigest.String()
		if r.Key != nil {
			name = *r.Key
		}
		if err != nil {
			failed[name] = err
			continue
		}
		require.NotContains(w, rows, name)
		require.NotNil(w, r.Next)
		rows[name] = r
		if between != nil {
			between(r)
		}
	}
	return rows, failed
}

func (r reconciled) actions() map[string]admin.ReconcileAction {
	all := map[string]admin.ReconcileAction{}
	for name, row := range r {
		all[name] = row.Action
	}
	return all
}

func (r reconciled) receipts() (n int) {
	for _, row := range r {
		if row.Receipt != nil {
			n++
		}
	}
	return n
}

// every makes one session of each kind that needs no tmux.
func (w *world) every() {
	w.Helper()
	w.own(plan{Key: "held"})
	w.own(plan{Key: "survived", Survivor: true}).kill()
	w.strand(plan{Key: "stranded", Facts: ownership.Facts{Resume: new("agent --resume 7")}})
	w.strand(plan{Key: "private", Private: true})
	w.unprove(plan{Key: "unproven"})
	w.own(plan{Key: "kind", Facts: ownership.Facts{Runtime: &ownership.Runtime{Kind: "lxc", Handle: "x"}}}).kill()
	w.own(plan{Key: "idle"}).release()
	w.own(plan{Key: "resumable", Facts: ownership.Facts{Resume: new("agent --resume 8")}}).release()
	w.own(plan{Key: "unreadable"}).release()
	w.damage("unreadable")
}

// I8: without consent a pass says what it would do, and changes nothing.
func TestReconcileReportsAndChangesNothing(t *testing.T) {
	w := newWorld(t)
	require.Empty(t, w.reconcile(admin.PassRecover), "a store that nobody used")
	require.NoDirExists(t, w.path)
	w.every()
	before := w.bytes()
	rows := w.reconcile(0)
	require.Equal(t, before, w.bytes())
	unreadable := target("unreadable").Digest.String()
	private := target("private").Digest.String()
	require.Equal(t, map[string]admin.ReconcileAction{
		"held": admin.ReconcileAdopt, "survived": admin.ReconcileAdopt, "stranded": admin.ReconcileRecover,
		private: admin.ReconcileRecover, "unproven": admin.ReconcileBlocked, "kind": admin.ReconcileBlocked,
		"idle": admin.ReconcileLeave, "resumable": admin.ReconcileRestorable, unreadable: admin.ReconcileLeave,
	}, rows.actions())
	require.Zero(t, rows.receipts())
	require.Equal(t, ownership.OutcomeRequeued, *rows["stranded"].Outcome)
	require.Equal(t, []string{"session", "reconcile", "--apply"}, rows["stranded"].Next[0].Argv)
	require.Equal(t, "agent --resume 8", *rows["resumable"].Resume)
	for _, name := range []string{"stranded", private, "unproven", "kind", unreadable} {
		require.Equal(t, admin.Waiting, rows[name].Concern, name)
		require.NotEmpty(t, rows[name].Next, name)
	}
}

// With consent it recovers what is provably gone and nothing else, and is done then.
func TestReconcileRecoversWhatIsGone(t *testing.T) {
	w := newWorld(t)
	w.every()
	before := w.bytes()
	rows := w.reconcile(admin.PassRecover)
	require.Equal(t, 2, rows.receipts())
	receipt := rows["stranded"].Receipt
	host, err := os.Hostname()
	require.NoError(t, err)
	require.Equal(t, "reconcile@"+host, receipt.Actor)
	require.Equal(t, ownership.StateStranded, rows["stranded"].State, "as it was found")
	require.Equal(t, "agent --resume 7", *rows["stranded"].Resume)
	require.Equal(t, ownership.StateIdle, w.inspect(target("stranded")).State)
	told := w.told(target("stranded"))
	require.Equal(t, receipt.Settled, told[len(told)-1].Settled, "the archive has its event")

	after := w.bytes()
	for _, key := range []string{"held", "survived", "unproven", "kind", "idle", "resumable", "unreadable"} {
		require.Equal(t, before[w.file(key, "record.json")], after[w.file(key, "record.json")], key)
	}
	again := w.reconcile(admin.PassRecover)
	require.Zero(t, again.receipts())
	require.Equal(t, admin.ReconcileRestorable, again["stranded"].Action)
	require.Equal(t, after, w.bytes())
}

// Evidence of an earlier execution, or of nobody knows whom, is ignored by a pass too.
func TestReconcileSettlesByFreshEvidenceOnly(t *testing.T) {
	w := newWorld(t)
	w.verdictOn(w.strand(plan{Key: "previous"}), settle.DecisionDone, "")
	w.force(w.inspect(target("previous")))
	w.strand(plan{Key: "previous"})
	_, path := w.strandWith("linked", "TASK_DONE\n")
	require.NoError(t, os.Rename(path, path+".real"))
	require.NoError(t, os.Symlink(path+".real", path))
	w.strandWith("done", "TASK_DONE\n")
	rows := w.reconcile(admin.PassRecover)
	require.Equal(t, ownership.OutcomeRequeued, *rows["previous"].Outcome)
	require.Equal(t, ownership.OutcomeRequeued, *rows["linked"].Outcome)
	require.Equal(t, ownership.OutcomeDone, *rows["done"].Outcome)
	require.Equal(t, ownership.OutcomeDone, rows["done"].Receipt.Outcome)
}

// A session that is recovered and acquired between the look at it and its turn is left
// to its new owner.
func TestReconcileLooksAgainBeforeItRecovers(t *testing.T) {
	w := newWorld(t)
	w.own(plan{Key: "held"}) // its row comes before anything is recovered
	i := w.strand(plan{Key: "k"})
	var o *owner
	rows, failed := w.reconcileWith(w.store, admin.PassRecover, func(r admin.Reconciled) {
		if *r.Key == "held" {
			w.force(i)
			o = w.own(plan{Key: "k"})
		}
	})
	require.Empty(t, failed)
	require.Equal(t, admin.ReconcileAdopt, rows["k"].Action)
	require.Nil(t, rows["k"].Receipt)
	require.EqualValues(t, 3, w.inspect(target("k")).Record.Generation)
	o.release()
}

// The same between that look and the write: whoever is faster has it.
func TestReconcileLosesARaceForASession(t *testing.T) {
	w := newWorld(t)
	i := w.strand(plan{Key: "k"})
	var o *owner
	s := &looked{Store: w.store, times: 2, then: func() { w.force(i); o = w.own(plan{Key: "k"}) }}
	rows, failed := w.reconcileWith(s, admin.PassRecover, nil)
	require.Empty(t, failed)
	require.NotNil(t, o, "nothing came between")
	require.Equal(t, admin.ReconcileAdopt, rows["k"].Action)
	require.Equal(t, ownership.StateHeld, rows["k"].State, "what it lost to was looked at")
	require.Nil(t, rows["k"].Receipt)
	o.release()
}

// looked is a store where something happens at the end of the n-th look at a session that
// needs a probe: its record was compared, and only its pulse is still asked for.
type looked struct {
	lease.Store
	times int
	then  func()
}

func (s *looked) Pulse(ctx context.Context, d ownership.Digest) ([]byte, error) {
	b, err := s.Store.Pulse(ctx, d)
	if s.times--; s.times == 0 {
		s.then()
	}
	return b, err
}

// One outage is not many deaths, unless a person says so.
func TestReconcileHoldsInAnOutage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.own(plan{Key: "a", More: []string{"b", "c", "d", "e"}}).kill()
	w.own(plan{Key: "f", More: []string{"g", "h", "i"}})
	before := w.bytes()
	rows := w.reconcile(admin.PassRecover)
	require.Equal(t, before, w.bytes())
	require.Equal(t, admin.ReconcileBlocked, rows["a"].Action)
	require.Contains(t, rows["a"].Reason, "5 of 9")
	require.Equal(t, []string{"session", "reconcile", "--apply", "--accept-mass-death"}, rows["a"].Next[0].Argv)
	w.own(plan{Key: "j"})
	require.Equal(t, 5, w.reconcile(admin.PassRecover).receipts(), "no more than half of them")

	w.own(plan{Key: "a", More: []string{"b", "c", "d", "e"}}).kill()
	w.own(plan{Key: "k"}).kill()
	require.Zero(t, w.reconcile(admin.PassRecover).receipts())
	require.Equal(t, 6, w.reconcile(admin.PassRecover|admin.PassMassDeath).receipts())
}

// One session that fails does not keep the others from their turn.
func TestReconcileGoesOnPastFailures(t *testing.T) {
	w := newWorld(t)
	gone := filepath.Join(t.TempDir(), "no", "tree")
	w.strand(plan{Key: "unsaved", Facts: ownership.Facts{Worktree: &gone}})
	w.strand(plan{Key: "k"})
	w.strand(plan{Key: "l"})
	rows, failed := w.reconcileWith(w.store, admin.PassRecover, nil)
	require.Len(t, failed, 1)
	require.ErrorContains(t, failed["unsaved"], "could not be saved")
	require.Equal(t, 2, rows.receipts())
	require.Equal(t, ownership.StateStranded, w.inspect(target("unsaved")).State)
}

// What a suspect may still write to is not recovered without a person.
func TestReconcileIsBlockedBySuspects(t *testing.T) {
	w := newWorld(t)
	tree := t.TempDir()
	w.own(plan{Key: "held"}) // its row comes before anything is recovered
	w.strand(plan{Key: "k", Facts: ownership.Facts{Worktree: &tree}})
	pid := 0
	rows, failed := w.reconcileWith(w.store, admin.PassRecover, func(r admin.Reconciled) {
		if pid == 0 {
			pid = w.worksIn(tree)
		}
	})
	require.Empty(t, failed)
	for range 2 { // it came since the plan; it was there before
		require.Equal(t, admin.ReconcileBlocked, rows["k"].Action)
		require.Contains(t, rows["k"].Reason, "sleep (pid "+strconv.Itoa(pid)+")")
		rows = w.reconcile(admin.PassRecover)
	}
}

// worksIn starts a process with a working directory.
func (w *world) worksIn(tree string) int {
	w.Helper()
	c := exec.Command("sleep", "300")
	c.Dir = tree
	require.NoError(w, c.Start())
	w.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	w.eventually(func() bool {
		dir, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(c.Process.Pid), "cwd"))
		return err == nil && dir == tree
	})
	return c.Process.Pid
}

// tmuxSession starts a tmux session that ends with the test, on a server of its own.
func (w *world) tmuxSession(name string) (end func()) {
	w.Helper()
	tmux := w.tmuxServer(name)
	end = func() { _ = tmux("kill-server").Run() }
	w.Cleanup(end)
	return end
}

// tmuxServer starts a server with a session, and returns how to command it.
func (w *world) tmuxServer(name string) func(args ...string) *exec.Cmd {
	w.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		testkit.Skip(w.T, "tmux is not installed")
	}
	dir, err := os.MkdirTemp("/tmp", "hf") // a socket's path must be short
	require.NoError(w, err)
	w.Cleanup(func() { _ = os.RemoveAll(dir) })
	tmux := func(args ...string) *exec.Cmd {
		cmd := exec.Command("tmux", append([]string{"-S", filepath.Join(dir, "s"), "-f", "/dev/null"}, args...)...)
		cmd.Env = append(os.Environ(), "SHELL=/bin/sh", "TERM=dumb")
		return cmd
	}
	require.NoError(w, tmux("new-session", "-d", "-s", name, "sleep 300").Run())
	w.Cleanup(func() { _ = tmux("kill-server").Run() })
	return tmux
}

// uniqueName is a name that no other tmux session of this user has.
func uniqueName() string {
	return "hf-" + strconv.Itoa(os.Getpid()) + "-" + strconv.Itoa(int(time.Now().UnixNano()%1e9))
}

// However many idle sessions name a runtime, tmux is asked for all of them at once.
func TestReconcileAsksTmuxOnce(t *testing.T) {
	real, err := exec.LookPath("tmux")
	if err != nil {
		testkit.Skip(t, "tmux is not installed")
	}
	w := newWorld(t)
	sessions := testkit.Rounds(30, 1000)
	for n := range sessions {
		key, err := ownership.ParseKey("k" + strconv.Itoa(n))
		require.NoError(t, err)
		there := ownership.Facts{Runtime: &ownership.Runtime{Kind: "tmux", Handle: uniqueName()}}
		l, err := lease.Acquire(t.Context(), w.store, key, lease.Owner{Kind: "test", Facts: there})
		require.NoError(t, err)
		require.NoError(t, l.Release(t.Context()))
	}
	dir := t.TempDir()
	script := "#!/bin/sh\necho >>" + dir + "/asked\nexec " + real + ` "$@"` + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tmux"), []byte(script), 0o700))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	w.reconcile(0)
	asked, err := os.ReadFile(filepath.Join(dir, "asked"))
	require.NoError(t, err)
	require.Less(t, len(asked), sessions, "each server of this user once, and no session")
}

// What outlived its session is destroyed where a person agreed to it, unless somebody
// looks at it.
func TestReconcileReapsWhatLeaked(t *testing.T) {
	t.Parallel()
	const consent = admin.PassRecover | admin.PassReap
	w := newWorld(t)
	name := uniqueName()
	w.own(plan{Key: "tmux", Facts: ownership.Facts{Runtime: &ownership.Runtime{Kind: "tmux", Handle: name}}}).release()
	tmux := w.tmuxServer(name)
	for _, less := range []admin.PassConsent{0, admin.PassRecover, admin.PassReap} {
		row := w.reconcile(less)["tmux"]
		require.Equal(t, admin.ReconcileReap, row.Action)
		require.False(t, row.Done)
		require.Equal(t, []string{"session", "reconcile", "--apply", "--reap"}, row.Next[0].Argv)
	}

	client := tmux("-C", "attach-session")
	in, err := client.StdinPipe()
	require.NoError(t, err)
	out, err := client.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, client.Start())
	_, err = out.Read(make([]byte, 1)) // it is attached
	require.NoError(t, err)
	row := w.reconcile(consent)["tmux"]
	require.Equal(t, admin.ReconcileBlocked, row.Action)
	require.Contains(t, row.Reason, "attached")
	require.NoError(t, in.Close())
	require.NoError(t, client.Wait())

	before := w.inspect(target("tmux")).Stored.Bytes
	row = w.reconcile(consent)["tmux"]
	require.True(t, row.Done, row.Reason)
	require.Error(t, tmux("has-session").Run())
	require.Equal(t, before, w.inspect(target("tmux")).Stored.Bytes)
	told := w.told(target("tmux"))
	require.Equal(t, admin.EventReap, told[len(told)-1].Event)
	require.Equal(t, admin.ReconcileLeave, w.reconcile(consent)["tmux"].Action)
	w.own(plan{Key: "tmux"}).release()
}

// Whoever takes the runtime or its session, before or right in front of its end, keeps it.
func TestReconcileReapsNothingThatIsInUse(t *testing.T) {
	t.Parallel()
	const consent = admin.PassRecover | admin.PassReap
	w := newWorld(t)
	name := uniqueName()
	there := ownership.Facts{Runtime: &ownership.Runtime{Kind: "tmux", Handle: name}}
	w.own(plan{Key: "idle", Facts: there}).release()
	w.own(plan{Key: "held"}) // its row comes first
	tmux := w.tmuxServer(name)
	var taker *owner
	rows, failed := w.reconcileWith(w.store, consent, func(r admin.Reconciled) {
		if taker == nil {
			taker = w.own(plan{Key: "taker", Facts: there})
		}
	})
	require.Empty(t, failed)
	require.Equal(t, admin.ReconcileLeave, rows["idle"].Action, rows["idle"].Reason)
	require.NoError(t, tmux("has-session").Run())
	taker.kill()
	w.recovered(admin.Recovery{Target: target("taker"), Expect: *w.inspect(target("taker")).Revision, Consent: admin.Force | admin.AcceptUnproven})
	w.own(plan{Key: "taker", Facts: ownership.Facts{Runtime: &ownership.Runtime{}}}).release()

	nowhere := ownership.Facts{Runtime: &ownership.Runtime{}}
	s := &heldLate{Store: w.store, then: func() { w.own(plan{Key: "idle", Facts: nowhere}).release() }}
	rows, failed = w.reconcileWith(s, consent, nil)
	require.Empty(t, failed)
	require.Equal(t, admin.ReconcileLeave, rows["idle"].Action, rows["idle"].Reason)
	require.NoError(t, tmux("has-session").Run())
}

// heldLate is a store where something happens right before a hold.
type heldLate struct {
	lease.Store
	then func()
}

func (s *heldLate) Hold(ctx context.Context, d ownership.Digest, g ownership.Generation) (lease.Hold, error) {
	s.then()
	return s.Store.Hold(ctx, d, g)
}

func TestReconcileReapsAProcess(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	agent := exec.Command("sleep", "300")
	require.NoError(t, agent.Start())
	gone := make(chan error, 1)
	go func() { gone <- agent.Wait() }()
	defer func() { _ = agent.Process.Kill() }()
	handle, err := probe.ProcessHandle(agent.Process.Pid)
	require.NoError(t, err)
	// An owner that dies leaves it, and a person who cannot tell whose it is recovers.
	w.own(plan{Key: "k", Facts: ownership.Facts{Runtime: &ownership.Runtime{Kind: "process", Handle: handle}}}).kill()
	i := w.inspect(target("k"))
	w.recovered(admin.Recovery{Target: target("k"), Expect: *i.Revision, Consent: admin.Force | admin.AcceptUnproven})
	row := w.reconcile(admin.PassRecover | admin.PassReap)["k"]
	require.True(t, row.Done, row.Reason)
	require.Error(t, <-gone)
}

// A runtime decides for whom it is alone.
func TestReconcileWithTmux(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	name := uniqueName()
	there := ownership.Facts{Runtime: &ownership.Runtime{Kind: "tmux", Handle: name}}
	w.own(plan{Key: "idle", Facts: there}).release()
	end := w.tmuxSession(name)
	require.Equal(t, admin.ReconcileReap, w.reconcile(admin.PassRecover)["idle"].Action)

	w.own(plan{Key: "orphan", Facts: there}).kill()
	rows := w.reconcile(admin.PassRecover)
	require.Equal(t, admin.ReconcileBlocked, rows["orphan"].Action, "the idle session names it too")
	require.Contains(t, rows["orphan"].Reason, "idle")

	w.own(plan{Key: "idle", Facts: ownership.Facts{Runtime: &ownership.Runtime{}}}).release()
	require.Equal(t, admin.ReconcileLeave, w.reconcile(admin.PassRecover)["orphan"].Action)

	// The name was recycled: a living session has it now.
	o := w.own(plan{Key: "recycler", Facts: there})
	rows = w.reconcile(admin.PassRecover)
	require.Equal(t, admin.ReconcileBlocked, rows["orphan"].Action)
	require.Contains(t, rows["orphan"].Reason, `"recycler" (held)`)
	require.Equal(t, admin.ReconcileAdopt, rows["recycler"].Action)

	end() // the server is gone, and with it what kept them
	o.kill()
	rows = w.reconcile(admin.PassRecover)
	require.Equal(t, 2, rows.receipts(), "%+v", rows)
	require.Equal(t, ownership.StateIdle, w.inspect(target("orphan")).State)
}
