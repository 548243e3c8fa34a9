package plan_test

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/admin/plan"
	"holdfast/internal/probe"
	"holdfast/internal/procid"
	"holdfast/internal/testkit"
	"holdfast/lease"
	"holdfast/ownership"
)

func lives(t *testing.T, pid int) bool {
	t.Helper()
	_, exists, err := procid.Exists(procid.ThisHost().PIDNamespace, pid, nil)
	require.NoError(t, err)
	return exists
}

// The worker is stopped and not its owner, which acknowledges that.
func TestHungWorkerIsStopped(t *testing.T) {
	w := newWorld(t)
	o := w.own(part{Key: "k", Worker: true})
	p := w.make("k", plan.Options{})
	item := w.proposed(p, plan.StopWorker)
	require.Equal(t, plan.Irreversible, item.Gate)
	require.Len(t, item.Targets, 1)
	require.Equal(t, o.worker, item.Targets[0].PID)
	require.Equal(t, []string{"kill", "-TERM", strconv.Itoa(o.worker)}, item.Steps[1].Argv)
	r := w.done(p, plan.StopWorker)
	for _, s := range r.Steps {
		require.Equal(t, plan.Done, s.Status, "it ignores INT and TERM")
	}
	w.eventually(func() bool { return w.inspect("k").State == ownership.StateIdle })
	require.Equal(t, ownership.ReleaseAcknowledged, *w.inspect("k").Record.Release)
}

func TestOwnerWithoutWorkerIsStoppedItself(t *testing.T) {
	w := newWorld(t)
	o := w.own(part{Key: "k"})
	p := w.make("k", plan.Options{})
	require.Equal(t, o.cmd.Process.Pid, w.proposed(p, plan.StopWorker).Targets[0].PID)
	r := w.done(p, plan.StopWorker)
	require.Equal(t, plan.Needless, r.Steps[2].Status, "it goes no further than it must")
	w.strands("k")
	again := w.apply(p, plan.StopWorker)
	require.Equal(t, plan.Already, again.Results[0].Status)
}

func TestSurvivorsAreStopped(t *testing.T) {
	w := newWorld(t)
	o := w.own(part{Key: "k", Worker: true})
	o.kill()
	p := w.make("k", plan.Options{})
	require.Equal(t, o.worker, w.proposed(p, plan.StopWorker).Targets[0].PID)
	w.done(p, plan.StopWorker)
	w.strands("k")
}

// A process that the plan does not name exactly is not stopped, though it has the number.
func TestRecycledNumberIsNotStopped(t *testing.T) {
	w := newWorld(t)
	o := w.own(part{Key: "k", Worker: true})
	p := w.make("k", plan.Options{})
	for n := range p.Items {
		for m := range p.Items[n].Targets {
			p.Items[n].Targets[m].StartTicks--
		}
	}
	w.refused(p, ownership.ReasonRevisionMismatch, plan.StopWorker)
	require.True(t, lives(t, o.worker))
}

// Whoever works in the session would stop itself.
func TestNobodyStopsItself(t *testing.T) {
	w := loneWorld(t)
	w.own(part{Key: "k", Worker: true})
	t.Setenv("SESSION_OPERATION_ID", w.inspect("k").Record.Owner.OperationID.String())
	require.Contains(t, w.withheld(w.make("k", plan.Options{}), plan.StopWorker), "inside")
}

func TestProcessRuntimeIsStopped(t *testing.T) {
	w := newWorld(t)
	stranger := exec.Command("sleep", "300")
	require.NoError(t, stranger.Start())
	t.Cleanup(func() { _ = stranger.Process.Kill(); _ = stranger.Wait() })
	handle, err := probe.ProcessHandle(stranger.Process.Pid)
	require.NoError(t, err)
	declared := &ownership.Runtime{Kind: probe.KindProcess, Handle: handle}
	w.own(part{Key: "k", Facts: ownership.Facts{Runtime: declared}}).kill()
	require.Equal(t, ownership.StateUnproven, w.inspect("k").State, "its runtime is alive")
	p := w.make("k", plan.Options{})
	require.Equal(t, plan.Irreversible, w.proposed(p, plan.Recover).Gate, "not proved gone")
	require.Equal(t, stranger.Process.Pid, w.proposed(p, plan.StopRuntime).Targets[0].PID)
	w.done(p, plan.StopRuntime)
	w.strands("k")
	require.Equal(t, plan.Already, w.apply(p, plan.StopRuntime).Results[0].Status)
	w.refused(p, ownership.ReasonRevisionMismatch, plan.Recover)
}

// privateTmux runs tmux commands on a server that only this test knows.
func privateTmux(t *testing.T) func(words ...string) string {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		testkit.Skip(t, "there is no tmux")
	}
	dir, err := os.MkdirTemp("", "hf") // short: it becomes part of a socket's path
	require.NoError(t, err)
	t.Setenv("TMUX_TMPDIR", dir)
	t.Setenv("TMUX", "")
	t.Setenv("SHELL", "/bin/sh")
	run := func(words ...string) string {
		t.Helper()
		out, err := exec.Command("tmux", words...).CombinedOutput()
		require.NoError(t, err, "tmux %q: %s", words, out)
		return strings.TrimSpace(string(out))
	}
	t.Cleanup(func() {
		_ = exec.Command("tmux", "kill-server").Run() // none is left if the last session has ended
		_ = os.RemoveAll(dir)
	})
	return run
}

func TestTmuxRuntimeIsStopped(t *testing.T) {
	w := loneWorld(t)
	tmux := privateTmux(t)
	name := "web-" + strconv.Itoa(os.Getpid()) // every server of this user is asked
	tmux("-f", "/dev/null", "new-session", "-d", "-s", name, "trap '' INT HUP; sleep 300; sleep 301")
	tmux("new-session", "-d", "-s", name+"0", "sleep 300")
	worker, err := strconv.Atoi(tmux("display-message", "-p", "-t", "="+name+":", "#{pane_pid}"))
	require.NoError(t, err)
	w.own(part{Key: "k", Facts: ownership.Facts{Runtime: &ownership.Runtime{Kind: probe.KindTmux, Handle: name}}}).kill()
	p := w.make("k", plan.Options{})
	item := w.proposed(p, plan.StopRuntime)
	require.Equal(t, []string{"tmux", "kill-session", "-t", "=" + name}, item.Steps[1].Argv)
	require.Equal(t, worker, item.Targets[0].PID)

	recycled := p
	recycled.Items = slices.Clone(p.Items)
	for n := range recycled.Items {
		recycled.Items[n].Targets = []ownership.Process{{PID: worker, StartTicks: 1, Program: "sh"}}
	}
	w.refused(recycled, ownership.ReasonRevisionMismatch, plan.StopRuntime)

	w.done(p, plan.StopRuntime)
	require.False(t, lives(t, worker))
	require.Equal(t, name+"0", tmux("list-sessions", "-F", "#{session_name}"))
	w.strands("k")
	require.Equal(t, plan.Already, w.apply(p, plan.StopRuntime).Results[0].Status)
}

// A server belongs to the user, and has other sessions: it is no worker, whoever started it.
func TestTmuxServerIsNeverStopped(t *testing.T) {
	w := loneWorld(t)
	tmux := privateTmux(t)
	o := w.own(part{Key: "k"})
	o.kill()
	i := w.inspect("k")
	start := exec.Command("tmux", "-f", "/dev/null", "new-session", "-d", "-s", "other-"+strconv.Itoa(os.Getpid()), "env -u SESSION_OPERATION_ID sleep 300")
	start.Env = append(os.Environ(), "SESSION_OPERATION_ID="+i.Record.Owner.OperationID.String())
	require.NoError(t, start.Run())
	server, err := strconv.Atoi(tmux("display-message", "-p", "#{pid}"))
	require.NoError(t, err)
	w.eventually(func() bool { return w.inspect("k").State == ownership.StateUnproven })
	p := w.make("k", plan.Options{})
	if item, ok := p.Item(plan.StopWorker); ok {
		for _, target := range item.Targets {
			require.NotEqual(t, server, target.PID)
		}
	}
	require.NoError(t, syscall.Kill(server, 0))
}

func TestPromptIsAnsweredInWordsOfThePerson(t *testing.T) {
	w := loneWorld(t)
	tmux := privateTmux(t)
	name := "ask-" + strconv.Itoa(os.Getpid())
	got := w.dir + "/got"
	tmux("-f", "/dev/null", "new-session", "-d", "-s", name, "read -r line; printf '%s' \"$line\" > "+got+"; sleep 300")
	w.own(part{Key: "k", Facts: ownership.Facts{Runtime: &ownership.Runtime{Kind: probe.KindTmux, Handle: name}}})
	words := plan.Intent{Answer: `yes; it's "$(ok)" #{pid} é`}
	p := w.make("k", plan.Options{Intent: words})
	item := w.proposed(p, plan.AnswerPrompt)
	require.Contains(t, item.Steps[0].Argv, words.Answer)
	w.refused(p, ownership.ReasonRevisionMismatch, plan.AnswerPrompt) // the plan's own words are none
	_, err := plan.Apply(t.Context(), w.store, p, plan.Approval{IDs: []string{plan.AnswerPrompt}, Intent: plan.Intent{Answer: "no"}})
	var refusal *lease.Refusal
	require.ErrorAs(t, err, &refusal, "other words than were planned")
	r, err := plan.Apply(t.Context(), w.store, p, plan.Approval{IDs: []string{plan.AnswerPrompt}, Intent: words})
	require.NoError(t, err)
	require.False(t, r.Stopped, "%+v", r)
	w.eventually(func() bool {
		b, _ := os.ReadFile(got)
		return string(b) == words.Answer
	})
	r, err = plan.Apply(t.Context(), w.store, p, plan.Approval{IDs: []string{plan.AnswerPrompt}, Intent: words})
	require.NoError(t, err)
	require.Equal(t, plan.Already, r.Results[0].Status, "the next question is another one")
}

// Whose gate is another's than today's is no plan to rely on.
func TestGateOfAStopCannotBeWidened(t *testing.T) {
	w := newWorld(t)
	w.own(part{Key: "k", Worker: true, Facts: worktreeFacts(w.worktree())})
	p := w.make("k", plan.Options{})
	for n := range p.Items {
		p.Items[n].Gate = plan.Write
	}
	w.refused(p, ownership.ReasonRevisionMismatch, plan.LockWorktree, plan.StopWorker)
}

func TestTrackerIsToldInWordsOfThePerson(t *testing.T) {
	w := newWorld(t)
	w.strand(part{Key: "k"})
	words := plan.Intent{Tracker: "echo released > " + w.dir + "/told", TrackerUndo: "rm " + w.dir + "/told"}
	p := w.make("k", plan.Options{Intent: words})
	require.Equal(t, plan.Write, w.proposed(p, plan.TellTracker).Gate)
	w.refused(p, ownership.ReasonRevisionMismatch, plan.TellTracker)
	r, err := plan.Apply(t.Context(), w.store, p, plan.Approval{IDs: []string{plan.TellTracker, plan.Recover}, Intent: words})
	require.NoError(t, err)
	require.Equal(t, 2, r.Count(plan.Done), "%+v", r)
	require.FileExists(t, w.dir+"/told")

	w.strand(part{Key: "failing"})
	words = plan.Intent{Tracker: "echo no such issue >&2; exit 3"}
	p = w.make("failing", plan.Options{Intent: words})
	require.Equal(t, plan.Irreversible, w.proposed(p, plan.TellTracker).Gate, "nobody says how it is taken back")
	r, err = plan.Apply(t.Context(), w.store, p, plan.Approval{IDs: []string{plan.TellTracker}, Intent: words})
	require.NoError(t, err)
	require.True(t, r.Stopped)
	require.Contains(t, r.Results[0].Detail, "no such issue")
}
