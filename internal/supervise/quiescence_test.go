//go:build linux

package supervise_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/supervise"
)

// leaveDaemon is a command that ends at once and leaves a daemon behind: in its own
// session, double-forked, deaf to TERM, until the FIFO is opened.
func leaveDaemon(t *testing.T, more string) (argv []string, pid, release string) {
	pid, release = filepath.Join(t.TempDir(), "pid"), fifo(t)
	const script = `
		setsid sh -c '
			sh -c "trap \"\" TERM; echo \$\$ >\$1; read x <\$2" sh "$@" &
		' sh "$1" "$2" </dev/null >/dev/null 2>&1
		until [ -s "$1" ]; do sleep 0.01; done
		`
	return sh(script+more, pid, release), pid, release
}

// Case 1.
func TestWaitsForADaemon(t *testing.T) {
	t.Parallel() // it mostly waits
	argv, file, release := leaveDaemon(t, "exit 3")
	w := run(t, spec{Argv: argv})
	pid := pidIn(t, file)
	w.says("(pid " + itoa(pid) + ")")
	require.True(t, exists(pid))
	open(t, release)
	require.Equal(t, 3, w.wait())
	require.False(t, exists(pid))
	require.True(t, w.report().Quiescent)
	require.Contains(t, w.report().Proof, "ECHILD")
}

// Case 1, strand.
func TestStrandNamesWhatIsLeft(t *testing.T) {
	argv, file, _ := leaveDaemon(t, "exit 3")
	w := run(t, spec{Argv: argv, Linger: supervise.Strand})
	pid := pidIn(t, file)
	require.Equal(t, strandedCode, w.wait())
	require.True(t, exists(pid))
	r := w.report()
	require.Equal(t, 3, r.Exit.Code)
	require.Len(t, r.Survivors, 1)
	require.Equal(t, pid, r.Survivors[0].PID)
	require.Contains(t, r.Proof, itoa(pid))
}

func TestStrandWithNothingLeftIsQuiescent(t *testing.T) {
	w := run(t, spec{Argv: []string{"true"}, Linger: supervise.Strand})
	require.Zero(t, w.wait())
	require.True(t, w.report().Quiescent)
}

func TestKillEndsEveryDescendant(t *testing.T) {
	argv, file, _ := leaveDaemon(t, "sleep 300 & exit 3")
	w := run(t, spec{Argv: argv, Linger: supervise.Kill, Grace: 50 * time.Millisecond})
	pid := pidIn(t, file)
	require.Equal(t, 3, w.wait())
	require.False(t, exists(pid))
	require.True(t, w.report().Quiescent)
}

// Case 3.
func TestRequestToEndEndsTheGroup(t *testing.T) {
	dir := t.TempDir()
	first, second := filepath.Join(dir, "1"), filepath.Join(dir, "2")
	const script = `
		sh -c 'trap "" TERM INT; echo $$ >$0; while :; do sleep 1; done' $1 &
		sh -c 'echo $$ >$0; exec sleep 302' $2
		wait`
	w := run(t, spec{Argv: sh(script, first, second), Grace: 50 * time.Millisecond})
	a, b := pidIn(t, first), pidIn(t, second)
	w.signal(syscall.SIGTERM)
	require.Equal(t, 143, w.wait())
	require.False(t, exists(a))
	require.False(t, exists(b))
	require.True(t, w.report().Quiescent)
}

func TestRequestToEndSparesDaemonsAndASecondStrands(t *testing.T) {
	t.Parallel() // it mostly waits
	argv, file, _ := leaveDaemon(t, "sleep 300 & exit 3")
	w := run(t, spec{Argv: argv, Grace: time.Millisecond})
	pid := pidIn(t, file)
	w.says("sleep (pid ")
	w.signal(syscall.SIGTERM)
	w.says("(pid " + itoa(pid) + "); a further")
	require.True(t, exists(pid))
	w.signal(syscall.SIGINT)
	require.Equal(t, strandedCode, w.wait())
	r := w.report()
	require.Equal(t, syscall.SIGTERM, r.Ended)
	require.Len(t, r.Survivors, 1, "the sleep was in the group")
	require.True(t, exists(pid))
}

func TestLostOwnershipStopsTheGroup(t *testing.T) {
	dir := t.TempDir()
	pid, lost := filepath.Join(dir, "pid"), fifo(t)
	const script = `trap "" TERM; echo $$ >$1; while :; do sleep 1; done`
	w := run(t, spec{Argv: sh(script, pid), Grace: 50 * time.Millisecond, LostOn: lost})
	c := pidIn(t, pid)
	open(t, lost)
	require.Equal(t, lostCode, w.wait())
	require.False(t, exists(c))
	require.Equal(t, syscall.SIGKILL, w.report().Exit.Signal)
}

func TestLostOwnershipDoesNotWaitForDaemons(t *testing.T) {
	argv, file, _ := leaveDaemon(t, "exec sleep 300")
	lost := fifo(t)
	w := run(t, spec{Argv: argv, Grace: deadline, LostOn: lost})
	pid := pidIn(t, file)
	open(t, lost)
	require.Equal(t, lostCode, w.wait())
	require.True(t, exists(pid))
	require.False(t, w.report().Quiescent)
}

func TestPendingRuntimeMustBeGone(t *testing.T) {
	t.Parallel() // it mostly waits
	runtime := filepath.Join(t.TempDir(), "runtime")
	require.NoError(t, os.WriteFile(runtime, []byte("tmux:web"), 0o600))
	w := run(t, spec{Argv: []string{"true"}, Pending: runtime})
	w.says("waiting for runtime tmux:web")
	require.NoError(t, os.WriteFile(runtime, []byte("?"), 0o600))
	require.NoError(t, os.Remove(runtime))
	require.Zero(t, w.wait())
	require.True(t, w.report().Quiescent)
}

func TestPendingRuntimeIsLeftAlive(t *testing.T) {
	t.Parallel() // it mostly waits
	for _, linger := range []supervise.Linger{supervise.Strand, supervise.Kill} {
		for _, answer := range []string{"tmux:web", "?"} {
			runtime := filepath.Join(t.TempDir(), "runtime")
			require.NoError(t, os.WriteFile(runtime, []byte(answer), 0o600))
			w := run(t, spec{Argv: []string{"true"}, Pending: runtime, Linger: linger})
			require.Equal(t, strandedCode, w.wait())
			require.Contains(t, w.report().Proof, "runtime")
		}
	}
}

// I5. Whoever waits for an answer that never comes is told which, why, and how to end
// that; without one there is no acknowledgement.
func TestNoAnswerIsWaitedForUntilTwoRequestsToEnd(t *testing.T) {
	t.Parallel() // it mostly waits
	question := filepath.Join(t.TempDir(), "question")
	require.NoError(t, os.WriteFile(question, []byte("?"), 0o600))
	w := run(t, spec{Argv: []string{"true"}, Pending: question})
	const awaited = "the answer whether the runtime lives, which cannot be had: no answer"
	w.says("waiting for " + awaited + "; two signals to end")
	w.signal(syscall.SIGTERM)
	w.says("waiting for " + awaited + "; a further signal")
	w.signal(syscall.SIGINT)
	require.Equal(t, strandedCode, w.wait())
	require.Contains(t, w.report().Proof, awaited)
}

func TestStopsAreNotTakenForEnds(t *testing.T) {
	dir := t.TempDir()
	cmd, descendant := filepath.Join(dir, "cmd"), filepath.Join(dir, "descendant")
	const script = `
		setsid sh -c 'echo $$ >$0; kill -STOP $$; exit 0' $2 &
		echo $$ >$1; kill -STOP $$; exit 3`
	w := run(t, spec{Argv: sh(script, cmd, descendant), Linger: supervise.Kill, Grace: deadline})
	c, d := pidIn(t, cmd), pidIn(t, descendant)
	eventually(t, func() bool { return stopped(t, c) && stopped(t, d) }, "not stopped")
	w.signal(syscall.SIGCONT)
	require.Equal(t, 3, w.wait(), "TERM reaches what is stopped")
	require.False(t, exists(d))
	require.True(t, w.report().Quiescent)
}
