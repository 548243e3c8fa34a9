package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/admin"
	"holdfast/internal/testkit"
	"holdfast/lease"
	"holdfast/lease/dirstore"
	"holdfast/ownership"
)

// place is a store of its own, and the command in it.
type place struct {
	t     *testing.T
	store string
}

func newPlace(t *testing.T) place {
	t.Helper()
	return place{t, filepath.Join(t.TempDir(), "store")}
}

// command is `session` as an agent host starts it: in a process group of its own and
// without a terminal.
func (p place) command(args ...string) *exec.Cmd { return p.program("session", args...) }

func (p place) program(name string, args ...string) *exec.Cmd {
	p.t.Helper()
	path, err := exec.LookPath(name)
	require.NoError(p.t, err)
	c := exec.Command(path, args...)
	c.Env = append(os.Environ(), "HOLDFAST_STORE="+p.store)
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return c
}

// output runs a command to its end and returns what it printed.
func (p place) output(c *exec.Cmd) (stdout, stderr string, code int) {
	p.t.Helper()
	var out, errs bytes.Buffer
	if c.Stdout == nil {
		c.Stdout = &out
	}
	if c.Stderr == nil {
		c.Stderr = &errs
	}
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		require.NoError(p.t, err)
	}
	return out.String(), errs.String(), c.ProcessState.ExitCode()
}

func (p place) exits(want int, args ...string) (stdout, stderr string) {
	p.t.Helper()
	stdout, stderr, code := p.output(p.command(args...))
	require.Equal(p.t, want, code, "session %s\n%s%s", strings.Join(args, " "), stdout, stderr)
	return stdout, stderr
}

// inspect is what the command knows before its closer look, which takes longer.
func (p place) inspect(key string) lease.Inspection {
	p.t.Helper()
	i, err := inspectIn(p.t.Context(), p.store, key)
	require.NoError(p.t, err)
	return i
}

func inspectIn(ctx context.Context, store, key string) (lease.Inspection, error) {
	k, err := ownership.ParseKey(key)
	if err != nil {
		return lease.Inspection{}, err
	}
	s, err := dirstore.Open(store, dirstore.Options{})
	if err != nil {
		return lease.Inspection{}, err
	}
	return admin.Inspect(ctx, s, admin.ByKey(k))
}

// outputFile is the file that a command in the background prints to: unlike a pipe it is
// not waited for when descendants keep it.
type outputFile string

func (f outputFile) String() string {
	b, err := os.ReadFile(string(f))
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// start starts a command in the background. It is killed at the end of the test if it
// still runs then.
func (p place) start(c *exec.Cmd) outputFile {
	p.t.Helper()
	f, err := os.CreateTemp(p.t.TempDir(), "output")
	require.NoError(p.t, err)
	defer f.Close()
	out := outputFile(f.Name())
	c.Stdout, c.Stderr = f, f
	require.NoError(p.t, c.Start())
	p.t.Cleanup(func() {
		if c.ProcessState == nil {
			_ = c.Process.Kill()
			_ = c.Wait()
		}
	})
	return out
}

// hold runs a command in a session in the background and returns when it is held and the command has begun.
func (p place) hold(key string, argv ...string) *exec.Cmd {
	p.t.Helper()
	c := p.command(append([]string{"run", "--no-worktree", key, "--"}, argv...)...)
	out := p.start(c)
	p.await(key, ownership.StateHeld)
	p.eventually(argv[0]+" below the runner", func() bool { return runsAnother(c.Process.Pid) })
	require.Nil(p.t, c.ProcessState, out)
	return c
}

// runsAnother says that a process has a child that runs another program: a new child runs its parent's own at first.
func runsAnother(parent int) bool {
	own, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", parent))
	child := regexp.MustCompile(fmt.Sprintf(`^\d+ \((.*)\) . %d `, parent))
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	return slices.ContainsFunc(stats, func(name string) bool {
		b, _ := os.ReadFile(name)
		found := child.FindSubmatch(b)
		return found != nil && string(found[1]) != strings.TrimSpace(string(own))
	})
}

func (p place) await(key string, want ownership.State) (i lease.Inspection) {
	p.t.Helper()
	p.eventually(string(want), func() bool {
		i = p.inspect(key)
		return i.State == want
	})
	return i
}

func (p place) eventually(what string, holds func() bool) {
	p.t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(pollEvery) {
		require.True(p.t, time.Now().Before(deadline), "never seen: %s", what)
	}
}

// pidFrom waits until a process has written its pid to a file.
func (p place) pidFrom(file string) int {
	p.t.Helper()
	var pid int
	p.eventually("a pid in "+file, func() bool {
		b, err := os.ReadFile(file)
		return err == nil && bytes.HasSuffix(b, []byte("\n")) && json.Unmarshal(bytes.TrimSpace(b), &pid) == nil
	})
	return pid
}

func gone(pid int) bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

func TestRunExitsAsItsCommandDid(t *testing.T) {
	p := newPlace(t)
	for _, code := range []string{"0", "1", "2", "42", "75", "125", "255"} {
		_, _, got := p.output(p.command("run", "k", "--", "sh", "-c", "exit "+code))
		require.Equal(t, code, jsonOf(t, got))
		p.exits(0, "assert", "k", "idle")
	}
	p.exits(137, "run", "k", "--", "sh", "-c", "kill -KILL $$")
	p.exits(0, "assert", "k", "idle")
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

func TestRunReleasesWhatItCouldNotStart(t *testing.T) {
	p := newPlace(t)
	plain := filepath.Join(t.TempDir(), "plain")
	require.NoError(t, os.WriteFile(plain, []byte("text"), 0o600))
	_, stderr := p.exits(127, "run", "k", "--", "no-such-program-anywhere")
	require.Contains(t, stderr, "no-such-program-anywhere")
	require.Contains(t, stderr, "session run --help")
	p.exits(0, "assert", "k", "idle")
	_, stderr = p.exits(126, "run", "k", "--", plain)
	require.Contains(t, stderr, plain)
	p.exits(0, "assert", "k", "idle")
}

// I9: the session was owned meanwhile, so that it is no error that changed nothing.
func TestRunThatLacksWhatItNeedsSaysWhatItDid(t *testing.T) {
	if _, err := os.Stat("/proc/self"); err != nil {
		testkit.Skip(t, "there is no directory without room for files")
	}
	p := newPlace(t)
	_, stderr := p.exits(126, "run", "--transcript", "/proc/self/none", "k", "--", "true")
	require.Contains(t, stderr, "released again")
	p.exits(0, "assert", "k", "idle")
}

func TestRunWithFewDescriptors(t *testing.T) {
	p := newPlace(t)
	c := p.program("sh", "-c", `ulimit -n 64; exec session run k -- true`)
	_, stderr, code := p.output(c)
	require.Zero(t, code, stderr)
	p.exits(0, "assert", "k", "idle")
}

func TestRunRefusesUnderAChosenCode(t *testing.T) {
	p := newPlace(t)
	p.exits(64, "run", "-E", "600", "k", "--", "true")
	require.NoDirExists(t, p.store)
	w := p.hold("k", "sleep", "300")
	p.exits(9, "run", "-E", "9", "k", "--", "true")
	p.exits(75, "run", "k", "--", "true")
	p.exits(124, "run", "-E", "9", "--wait", "50ms", "k", "--", "true")
	require.NoError(t, w.Process.Signal(syscall.SIGTERM))
	require.Error(t, w.Wait())
}

func TestRunEndsWithItsCommandOnTerm(t *testing.T) {
	p := newPlace(t)
	file := filepath.Join(t.TempDir(), "pid")
	w := p.hold("k", "sh", "-c", "echo $$ >"+file+"; exec sleep 300")
	child := p.pidFrom(file)
	require.NoError(t, w.Process.Signal(syscall.SIGTERM))
	require.Error(t, w.Wait())
	require.Equal(t, 143, w.ProcessState.ExitCode())
	require.True(t, gone(child))
	p.exits(0, "assert", "k", "idle")
}

func TestRunLeavesNoGrandchildOnTerm(t *testing.T) {
	p := newPlace(t)
	dir := t.TempDir()
	w := p.hold("k", "sh", "-c", "sh -c 'echo $$ >"+dir+"/a; exec sleep 301' & sh -c 'echo $$ >"+dir+"/b; exec sleep 302'; wait")
	first, second := p.pidFrom(dir+"/a"), p.pidFrom(dir+"/b")
	require.NoError(t, w.Process.Signal(syscall.SIGTERM))
	require.Error(t, w.Wait())
	require.True(t, gone(first))
	require.True(t, gone(second))
	p.exits(0, "assert", "k", "idle")
}

func TestRunWaitsForADaemonBeforeItAcknowledges(t *testing.T) { // I5
	t.Parallel() // it mostly waits
	p := newPlace(t)
	fifo := filepath.Join(t.TempDir(), "fifo")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	w := p.command("run", "k", "--", "sh", "-c", "setsid cat "+fifo+" </dev/null >/dev/null 2>&1 & exit 7")
	out := p.start(w)
	p.eventually("the run says what it waits for", func() bool {
		i := p.inspect("k")
		return i.Pulse != nil && i.Pulse.Phase == lease.PhaseStopping
	})
	i := p.inspect("k")
	require.Equal(t, ownership.StateHeld, i.State)
	require.Contains(t, i.Pulse.Note, "cat")
	require.NoError(t, os.WriteFile(fifo, []byte("go\n"), 0o600)) // ends it
	require.Error(t, w.Wait())
	require.Equal(t, 7, w.ProcessState.ExitCode(), out)
	require.Contains(t, out.String(), "cat")
	p.exits(0, "assert", "k", "idle")
}

// Whoever read what run says may go: run still has its command to wait for (I5).
func TestRunWithABrokenStandardError(t *testing.T) {
	t.Parallel() // it mostly waits
	p := newPlace(t)
	fifo := filepath.Join(t.TempDir(), "fifo")
	require.NoError(t, syscall.Mkfifo(fifo, 0o600))
	w := p.command("run", "k", "--", "sh", "-c", "setsid cat "+fifo+" </dev/null >/dev/null 2>&1 & exit 7")
	w.Stdout, w.Stderr = closedPipe(t), closedPipe(t)
	require.NoError(t, w.Start())
	p.eventually("the run said what it waits for", func() bool {
		i := p.inspect("k")
		return i.Pulse != nil && i.Pulse.Phase == lease.PhaseStopping
	})
	require.NoError(t, os.WriteFile(fifo, []byte("go\n"), 0o600)) // ends it
	require.Error(t, w.Wait())
	require.Equal(t, 7, w.ProcessState.ExitCode())
	p.exits(0, "assert", "k", "idle")
}

func TestRunStrandsWhatLingersAndTheRefusalNamesIt(t *testing.T) {
	p := newPlace(t)
	file := filepath.Join(t.TempDir(), "pid")
	script := "setsid sh -c 'echo $$ >" + file + "; exec sleep 300' </dev/null >/dev/null 2>&1 & while ! [ -s " + file + " ]; do :; done"
	_, stderr := p.exits(83, "run", "--linger", "strand", "k", "--", "sh", "-c", script)
	daemon := p.pidFrom(file)
	t.Cleanup(func() { _ = syscall.Kill(daemon, syscall.SIGKILL) })
	require.Contains(t, stderr, "sleep")
	require.NotContains(t, stderr, "Nothing was changed")
	_, stderr = p.exits(75, "run", "k", "--", "true")
	require.Contains(t, stderr, "sleep (pid "+jsonOf(t, daemon))
	require.NoError(t, syscall.Kill(daemon, syscall.SIGKILL))
	p.await("k", ownership.StateStranded)
}

// I5. No runtime was declared, so that none may be blamed.
func TestRunTellsThatTheStoreDoesNotAnswerForTheKinLock(t *testing.T) {
	p := newPlace(t)
	const unaskable = `cd "$HOLDFAST_STORE"/sessions/*/ && rm kin.1 && mkdir kin.1`
	_, stderr := p.exits(83, "run", "--linger", "strand", "k", "--", "sh", "-c", unaskable)
	said := strings.Join(strings.Fields(stderr), " ")
	require.Contains(t, said, "the answer whether any process still holds the session's kin lock, which cannot be had: ask for kin lock")
	require.NotContains(t, said, "runtime")
	p.exits(0, "assert", "k", "unproven")
}

func TestRunKillsWhatLingersIfAsked(t *testing.T) {
	p := newPlace(t)
	file := filepath.Join(t.TempDir(), "pid")
	script := "setsid sh -c 'echo $$ >" + file + "; trap \"\" TERM; while :; do sleep 300; done' </dev/null >/dev/null 2>&1 & while ! [ -s " + file + " ]; do :; done"
	p.exits(0, "run", "--linger", "kill", "--grace", "50ms", "k", "--", "sh", "-c", script)
	require.True(t, gone(p.pidFrom(file)))
	p.exits(0, "assert", "k", "idle")
}

func TestKilledRunIsHeldByItsChildAndStrandedAfter(t *testing.T) {
	t.Parallel() // it mostly waits
	p := newPlace(t)
	w := p.hold("k", "sleep", "300")
	require.NoError(t, w.Process.Kill())
	require.Error(t, w.Wait())
	var i lease.Inspection
	p.eventually("the survivor is named", func() bool {
		i = p.inspect("k")
		return len(i.Liveness.Holders) == 1 && i.Liveness.Holders[0].Program == "sleep"
	})
	require.Equal(t, ownership.StateHeld, i.State)
	survivor := i.Liveness.Holders[0].PID
	t.Cleanup(func() { _ = syscall.Kill(survivor, syscall.SIGKILL) })
	p.exits(75, "run", "k", "--", "true")
	p.exits(75, "recover", "k", "--expect", i.Revision.String()) // I7
	p.exits(75, "recover", "k", "--expect", i.Revision.String(), "--force", "--accept-unproven", "--no-snapshot")
	require.Equal(t, i.Revision, p.inspect("k").Revision)

	require.NoError(t, syscall.Kill(survivor, syscall.SIGKILL))
	p.await("k", ownership.StateStranded)
	p.exits(76, "run", "--wait", "1h", "k", "--", "true")
	p.exits(0, "recover", "k", "--expect", i.Revision.String(), "--force", "--no-snapshot")
	out, _ := p.exits(0, "run", "k", "--", "sh", "-c", "echo $SESSION_GENERATION")
	require.Equal(t, "3\n", out)
}

func TestCloseKeepsTheKinLockFromTheCommand(t *testing.T) {
	p := newPlace(t)
	c := p.command("run", "--close", "k", "--", "sleep", "300")
	p.start(c)
	p.await("k", ownership.StateHeld)
	kin, err := filepath.Glob(filepath.Join(p.store, "sessions", "*", "kin.*"))
	require.NoError(t, err)
	require.Empty(t, kin)
	require.NoError(t, c.Process.Signal(syscall.SIGTERM))
	require.Error(t, c.Wait())
}

func TestWaitingRunObeysInterruptAtOnce(t *testing.T) {
	p := newPlace(t)
	holder := p.hold("k", "sleep", "300")
	before := p.inspect("k").Revision
	ran := filepath.Join(t.TempDir(), "ran")
	c := p.command("run", "--wait", "1h", "k", "--", "touch", ran)
	stderr, err := c.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	said := make([]byte, 4096)
	n, err := stderr.Read(said) // it says once that it waits
	require.NoError(t, err)
	require.Contains(t, string(said[:n]), "waiting")
	require.NoError(t, c.Process.Signal(syscall.SIGINT))
	require.Error(t, c.Wait())
	require.Equal(t, 130, c.ProcessState.ExitCode())
	require.NoFileExists(t, ran)
	require.Equal(t, before, p.inspect("k").Revision)
	require.NoError(t, holder.Process.Signal(syscall.SIGTERM))
	require.Error(t, holder.Wait())
}

func TestWaitingRunTakesOver(t *testing.T) {
	p := newPlace(t)
	holder := p.hold("k", "sleep", "300")
	c := p.command("run", "--wait", "1h", "k", "--", "true")
	out := p.start(c)
	require.NoError(t, holder.Process.Signal(syscall.SIGTERM))
	require.Error(t, holder.Wait())
	require.NoError(t, c.Wait(), out)
	require.Equal(t, ownership.Generation(2), p.inspect("k").Record.Generation)
}

func TestRunPassesItsStandardStreams(t *testing.T) {
	p := newPlace(t)
	c := p.command("run", "k", "--", "cat")
	c.Stdin = strings.NewReader("hi\n")
	out, _, code := p.output(c)
	require.Equal(t, "hi\n", out)
	require.Zero(t, code)

	_, _, code = p.output(p.program("sh", "-c", "session run k -- seq 1 999999 | head -1"))
	require.Zero(t, code)
	p.await("k", ownership.StateIdle)
	out, stderr, code := p.output(p.program("sh", "-c", "session run k -- true >&- 2>&-"))
	require.Zero(t, code)
	require.Empty(t, out+stderr)
	p.exits(0, "assert", "k", "idle")
}

func TestNestedRunsShowTheInnerSessionOnce(t *testing.T) {
	p := newPlace(t)
	c := p.command("run", "A", "--", "session", "run", "B", "--", "env")
	c.Env = append(c.Env, "HOLDFAST_ETCD_PASSWORD=secret")
	out, _, code := p.output(c)
	require.Zero(t, code)
	require.Contains(t, out, "SESSION_KEY=B\n")
	require.NotContains(t, out, "HOLDFAST_ETCD_")
	for _, name := range []string{"SESSION_KEY", "SESSION_GENERATION", "SESSION_OPERATION_ID", "SESSION_REVISION", "SESSION_BIN", "HOLDFAST_STORE"} {
		require.Equal(t, 1, strings.Count("\n"+out, "\n"+name+"="), name)
	}
}

func TestKinLockSurvivesNestingAndShellDescriptors(t *testing.T) {
	p := newPlace(t)
	dir := t.TempDir()
	inner := "exec 3>" + dir + "/three 4>" + dir + "/four; echo $$ >" + dir + "/pid; exec sleep 300"
	w := p.command("run", "A", "--", "sh", "-c", "exec 3>/dev/null; session run B -- sh -c '"+inner+"'")
	p.start(w)
	child := p.pidFrom(dir + "/pid")
	t.Cleanup(func() { _ = syscall.Kill(child, syscall.SIGKILL) })
	b := p.await("B", ownership.StateHeld)
	require.NoError(t, w.Process.Kill())
	require.Error(t, w.Wait())
	require.NoError(t, syscall.Kill(b.Record.Owner.PID, syscall.SIGKILL))
	for _, k := range []string{"A", "B"} {
		p.eventually(k+" is held by the sleep", func() bool {
			i := p.inspect(k)
			return i.State == ownership.StateHeld && len(i.Liveness.Holders) == 1 && i.Liveness.Holders[0].PID == child
		})
	}
}

func TestStatusFileSaysHowItEnded(t *testing.T) {
	p := newPlace(t)
	file := filepath.Join(t.TempDir(), "status.json")
	p.exits(3, "run", "--status-file", file, "k", "--", "sh", "-c", "exit 3")
	var s runStatus
	read := func() {
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		s = runStatus{}
		require.NoError(t, json.Unmarshal(b, &s))
	}
	read()
	require.Equal(t, 3, s.ExitCode)
	require.Equal(t, 3, *s.Command.Code)
	require.True(t, s.Acknowledged && s.Command.Quiescent)
	require.Nil(t, s.Reason)

	w := p.hold("k", "sleep", "300")
	p.exits(75, "run", "--status-file", file, "k", "--", "true")
	read()
	require.Equal(t, ownership.ReasonActiveOwner, *s.Reason)
	require.Nil(t, s.Command)
	require.NoError(t, w.Process.Signal(syscall.SIGTERM))
	require.Error(t, w.Wait())
	p.exits(64, "run", "--status-file", "/no/such/dir/file", "k", "--", "true")
}

func TestRunSpeaksJSONOnStandardError(t *testing.T) {
	p := newPlace(t)
	out, stderr := p.exits(5, "run", "--json", "k", "--", "sh", "-c", "echo out; exit 5")
	require.Equal(t, "out\n", out)
	var s runStatus
	require.NoError(t, json.Unmarshal([]byte(stderr), &s))
	require.Equal(t, 5, s.ExitCode)

	w := p.hold("k", "sleep", "300")
	out, stderr = p.exits(75, "run", "--json", "k", "--", "true")
	require.Empty(t, out)
	var r refusal
	require.NoError(t, json.Unmarshal([]byte(stderr), &r))
	require.Equal(t, ownership.ReasonActiveOwner, r.Reason)
	require.Equal(t, ownership.StateHeld, r.Inspection.State)
	require.NotEmpty(t, r.Next)
	require.NoError(t, w.Process.Signal(syscall.SIGTERM))
	require.Error(t, w.Wait())
}

func TestTranscriptKeepsEverythingUntilTheLastWriterIsGone(t *testing.T) {
	p := newPlace(t)
	file := filepath.Join(t.TempDir(), "log")
	out, stderr := p.exits(0, "run", "--transcript", file, "k", "--", "sh", "-c",
		"echo out; echo err >&2; (setsid sh -c 'sleep 0.2; echo late') & exit 0")
	require.Equal(t, "out\nlate\n", out)
	require.Contains(t, stderr, "err\n")
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	for _, line := range []string{"out\n", "err\n", "late\n"} {
		require.Contains(t, string(b), line)
	}
	require.Equal(t, file, *p.inspect("k").Record.Session.Transcript)
}

func TestRunRecordsItsWorktree(t *testing.T) {
	p := newPlace(t)
	tree := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(tree, ".git"), 0o700))
	sub := filepath.Join(tree, "a", "b")
	require.NoError(t, os.MkdirAll(sub, 0o700))
	c := p.command("run", "k", "--", "true")
	c.Dir = sub
	_, _, code := p.output(c)
	require.Zero(t, code)
	require.Equal(t, tree, *p.inspect("k").Record.Session.Worktree)
	c = p.command("run", "--no-worktree", "k", "--", "true")
	c.Dir = sub
	_, _, code = p.output(c)
	require.Zero(t, code)
	require.Nil(t, p.inspect("k").Record.Session.Worktree)
}

func TestRunWantsExactlyOneKeyBeforeTheDashes(t *testing.T) {
	p := newPlace(t)
	dir := t.TempDir()
	for _, args := range [][]string{
		{"run"}, {"run", "k"}, {"run", "k", "--"}, {"run", "--", "echo", "hi"}, {"run", "k", "echo", "hi"},
		{"run", "k", "l", "--", "echo", "hi"}, {"run", "k", "--wait", "1s", "--", "true"}, {"run", "k", "--", ""},
		{"run", "--transcript", dir, "k", "--", "true"}, {"run", "--status-file", dir, "k", "--", "true"},
		{"run", "--transcript", dir + "/f", "--status-file", dir + "/f", "k", "--", "true"},
		{"run", "--status-file", "/no/such/dir/f", "k", "--", "true"}, {"run", "--runtime", "vm:7", "k", "--", "true"},
		{"run", "--runtime", "tmux:", "k", "--", "true"}, {"run", "--runtime", "tmux:a\nb", "k", "--", "true"}, {"run", "--runtime", "tmux:$3", "k", "--", "true"},
		{"run", "--runtime", "tmux:a", "--no-runtime", "k", "--", "true"}, {"run", "--kind", "Bad", "k", "--", "true"},
		{"run", "--grace", "-1s", "k", "--", "true"}, {"run", "--linger", "maybe", "k", "--", "true"},
		{"run", "--worktree", dir + "/none", "k", "--", "true"}, {"run", "--note", strings.Repeat("n", 1025), "k", "--", "true"},
	} {
		_, stderr := p.exits(64, args...)
		require.NotEmpty(t, stderr)
	}
	require.NoDirExists(t, p.store)
	require.Empty(t, entries(t, dir))
	out, _ := p.exits(0, "run", "--", "-x", "--", "echo", "--json")
	require.Equal(t, "--json\n", out)
	out, _ = p.exits(0, "run", "k", "--", "echo", "--", "--")
	require.Equal(t, "-- --\n", out)
}

func TestRunForgetsARuntimeIfAsked(t *testing.T) {
	tool(t, "tmux")
	p := newPlace(t)
	p.exits(0, "run", "--runtime", "tmux:no-such-session-of-this-test", "k", "--", "true")
	require.NotNil(t, p.inspect("k").Record.Session.Runtime)
	p.exits(0, "run", "--no-runtime", "k", "--", "true")
	require.Nil(t, p.inspect("k").Record.Session.Runtime)
}

func TestStatusFileThatCannotBeWrittenIsKnownBeforeAnythingRuns(t *testing.T) {
	mounting(t)
	p := newPlace(t)
	dir := t.TempDir()
	_, stderr, code := p.apart("mount --bind " + dir + " " + dir + "; mount -o remount,ro,bind " + dir + "; exec session run --status-file " + dir + "/f k -- echo ran")
	require.Equal(t, 64, code)
	require.Contains(t, stderr, "read-only")
	require.NoDirExists(t, p.store)
}
