package plan_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/admin"
	"holdfast/admin/plan"
	"holdfast/internal/testkit"
	"holdfast/lease"
	"holdfast/lease/dirstore"
	"holdfast/ownership"
)

// roleVariable makes the test binary one of the processes of a test.
const roleVariable = "HOLDFAST_PLAN_TEST_ROLE"

// trackerVariable has the tracker's command of an applier.
const trackerVariable = "HOLDFAST_PLAN_TEST_TRACKER"

func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "":
		testkit.PrepareChildren()
		testkit.InMemory()
		os.Exit(atHome(m))
	case "owner":
		ownerRole(os.Args[1])
	case "stubborn":
		signal.Ignore(syscall.SIGINT, syscall.SIGTERM)
		fmt.Println("ready")
		select {}
	case "applier":
		applierRole(os.Args[1], os.Args[2], os.Args[3:])
	}
}

// atHome runs the tests with a home and a place for snapshots of their own, outside of any session.
func atHome(m *testing.M) int {
	home, err := os.MkdirTemp("", "holdfast-plan")
	must(err)
	defer os.RemoveAll(home)
	must(os.Setenv("HOME", home))
	must(os.Setenv("XDG_STATE_HOME", filepath.Join(home, "state")))
	must(os.Unsetenv("SESSION_OPERATION_ID"))
	return m.Run()
}

// part is what an owner process is to do.
type part struct {
	Store, Key string
	Facts      ownership.Facts
	Worker     bool // start a child that ignores INT and TERM, and acknowledge its end
}

func ownerRole(arg string) {
	var p part
	must(json.Unmarshal([]byte(arg), &p))
	s, err := dirstore.Open(p.Store, dirstore.Options{})
	must(err)
	key, err := ownership.ParseKey(p.Key)
	must(err)
	l, err := lease.Acquire(context.Background(), s, key, lease.Owner{Kind: "test", Program: "agent", Facts: p.Facts, Kin: p.Worker})
	must(err)
	if !p.Worker {
		fmt.Println("ready 0")
		select {}
	}
	worker := exec.Command(os.Args[0])
	worker.Env = append(os.Environ(), roleVariable+"=stubborn")
	worker.ExtraFiles = []*os.File{l.Kin()}
	out, err := worker.StdoutPipe()
	must(err)
	must(worker.Start())
	must(l.Kin().Close())
	bufio.NewScanner(out).Scan()
	fmt.Println("ready", worker.Process.Pid)
	_ = worker.Wait()
	must(l.Release(context.Background()))
}

func must(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// applierRole applies a plan, to be killed meanwhile.
func applierRole(store, file string, ids []string) {
	s, err := dirstore.Open(store, dirstore.Options{})
	must(err)
	b, err := os.ReadFile(file)
	must(err)
	p, err := plan.Decode(b)
	must(err)
	fmt.Println("ready")
	r, err := plan.Apply(context.Background(), s, p, plan.Approval{IDs: ids, Actor: "ana", Intent: plan.Intent{Tracker: os.Getenv(trackerVariable)}})
	must(err)
	must(json.NewEncoder(os.Stdout).Encode(r))
}

// world is a store, and a repository with a linked worktree.
type world struct {
	*testing.T
	store lease.Store
	path  string
	dir   string
}

// newWorld is for tests that may run beside others.
func newWorld(t *testing.T) *world {
	t.Helper()
	t.Parallel()
	return loneWorld(t)
}

func loneWorld(t *testing.T) *world {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	path := filepath.Join(dir, "store")
	s, err := dirstore.Open(path, dirstore.Options{})
	require.NoError(t, err)
	return &world{t, s, path, dir}
}

func (w *world) git(args ...string) string {
	w.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		testkit.Skip(w, "git is not installed")
	}
	c := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
	c.Dir = w.dir
	out, err := c.CombinedOutput()
	require.NoError(w, err, string(out))
	return string(out)
}

// worktree makes a linked worktree with work that is nowhere else, and returns its path.
func (w *world) worktree() string {
	w.Helper()
	w.git("init", "-q", "repo")
	require.NoError(w, os.WriteFile(filepath.Join(w.dir, "repo", "f"), []byte("f\n"), 0o644))
	w.git("-C", "repo", "add", "f")
	w.git("-C", "repo", "commit", "-qm", "one")
	w.git("-C", "repo", "worktree", "add", "-q", filepath.Join(w.dir, "wt"), "-b", "topic")
	wt := filepath.Join(w.dir, "wt")
	w.write(filepath.Join(wt, "new"), "nowhere else")
	return wt
}

func (w *world) write(path, content string) {
	w.Helper()
	require.NoError(w, os.WriteFile(path, []byte(content), 0o644))
}

// owner is a process that owns a session.
type owner struct {
	cmd    *exec.Cmd
	worker int
}

func (w *world) own(p part) owner {
	w.Helper()
	p.Store = w.path
	arg, err := json.Marshal(p)
	require.NoError(w, err)
	o := owner{cmd: w.role("owner", string(arg))}
	out, err := o.cmd.StdoutPipe()
	require.NoError(w, err)
	require.NoError(w, o.cmd.Start())
	w.Cleanup(o.kill)
	_, err = fmt.Fscanf(out, "ready %d\n", &o.worker)
	require.NoError(w, err)
	w.Cleanup(func() {
		if o.worker > 0 {
			_ = syscall.Kill(o.worker, syscall.SIGKILL)
		}
	})
	go io.Copy(io.Discard, out)
	return o
}

func (o owner) kill() {
	_ = o.cmd.Process.Kill()
	_ = o.cmd.Wait()
}

func (w *world) role(role string, args ...string) *exec.Cmd {
	c := exec.Command(os.Args[0], args...)
	c.Env = append(os.Environ(), roleVariable+"="+role)
	c.Stderr = os.Stderr
	return c
}

func (w *world) strand(p part) {
	w.Helper()
	w.own(p).kill()
	w.strands(p.Key)
}

// strands waits until the owner's locks are free. A look into /proc at the descriptors of a
// process keeps what one refers to, and so its lock, until after the end of the process.
func (w *world) strands(key string) {
	w.Helper()
	w.eventually(func() bool { return w.inspect(key).State == ownership.StateStranded })
}

// idle leaves a session that was recovered.
func (w *world) idle(p part) {
	w.Helper()
	w.strand(p)
	i := w.inspect(p.Key)
	_, err := admin.Recover(w.Context(), w.store, admin.Recovery{
		Target: target(p.Key), Expect: i.Stored.Revision, Consent: admin.Force, Snapshot: admin.SnapshotSkip,
	})
	require.NoError(w, err)
}

func (w *world) inspect(key string) lease.Inspection {
	w.Helper()
	i, err := admin.Inspect(w.Context(), w.store, target(key))
	require.NoError(w, err)
	return i
}

func target(key string) admin.Target {
	k, err := ownership.ParseKey(key)
	if err != nil {
		panic(err)
	}
	return admin.ByKey(k)
}

func (w *world) make(key string, o plan.Options) plan.Plan {
	w.Helper()
	before := w.bytes()
	p, err := plan.Make(w.Context(), w.store, target(key), o)
	require.NoError(w, err)
	require.Equal(w, before, w.bytes(), "a plan changes nothing (I8)")
	b, err := p.Encode()
	require.NoError(w, err)
	again, err := plan.Decode(b)
	require.NoError(w, err)
	return again
}

var kept = plan.Options{Keeping: plan.KeepWork}

func (w *world) apply(p plan.Plan, ids ...string) plan.Report {
	w.Helper()
	r, err := plan.Apply(w.Context(), w.store, p, plan.Approval{IDs: ids, Actor: "ana", Grace: 100 * time.Millisecond})
	require.NoError(w, err)
	return r
}

// done expects that one item was done.
func (w *world) done(p plan.Plan, id string) plan.Result {
	w.Helper()
	r := w.apply(p, id)
	require.Len(w, r.Results, 1)
	require.Equal(w, plan.Done, r.Results[0].Status, "%+v", r.Results)
	require.False(w, r.Stopped)
	return r.Results[0]
}

// refused expects a refusal that changed no byte of the store (I8).
func (w *world) refused(p plan.Plan, why ownership.Reason, ids ...string) *lease.Refusal {
	w.Helper()
	before := w.bytes()
	_, err := plan.Apply(w.Context(), w.store, p, plan.Approval{IDs: ids, Grace: 100 * time.Millisecond, File: "p.json"})
	var refusal *lease.Refusal
	require.ErrorAs(w, err, &refusal)
	require.Equal(w, why, refusal.Reason, refusal.Message)
	require.NotEmpty(w, refusal.Inspection.Next)
	require.Equal(w, before, w.bytes())
	return refusal
}

// bytes returns every file of the store.
func (w *world) bytes() map[string]string {
	w.Helper()
	all := map[string]string{}
	require.NoError(w, filepath.WalkDir(w.path, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		all[path] = string(b)
		return err
	}))
	return all
}

func (w *world) withheld(p plan.Plan, id string) string {
	w.Helper()
	_, proposed := p.Item(id)
	require.False(w, proposed)
	for _, h := range p.Withheld {
		if h.ID == id {
			return h.Why
		}
	}
	require.Fail(w, "it is not withheld", "%s: %+v", id, p.Withheld)
	return ""
}

func (w *world) proposed(p plan.Plan, id string) plan.Item {
	w.Helper()
	i, ok := p.Item(id)
	require.True(w, ok, "%s: %+v", id, p)
	return i
}

// events are what history tells of plans, as "event reason".
func (w *world) events(key string) (all []string) {
	w.Helper()
	for e, err := range admin.History(w.Context(), w.store, target(key)) {
		require.NoError(w, err)
		if e.Event == plan.EventApprove || e.Event == plan.EventApply {
			require.Equal(w, "ana", *e.Actor)
			all = append(all, strings.TrimSpace(e.Event+" "+*e.Reason))
		}
	}
	return all
}

func (w *world) eventually(holds func() bool) {
	w.Helper()
	require.Eventually(w, holds, time.Minute, 5*time.Millisecond)
}
