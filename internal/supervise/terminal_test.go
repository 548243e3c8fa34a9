//go:build linux

package supervise_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"
)

func TestOtherSignalsReachTheCommandOnATerminal(t *testing.T) {
	c := newConsole(t)
	pid := filepath.Join(c.dir, "pid")
	c.runs(spec{Argv: sh(`trap "echo bye; exit 8" TERM; echo $PPID >$1; echo up; while :; do sleep 0.01; done`, pid)})
	c.expect("up\r\n")
	require.NoError(t, syscall.Kill(pidIn(t, pid), syscall.SIGTERM))
	c.expect("bye\r\n")
	c.status("8")
	require.Equal(t, syscall.SIGTERM, c.report().Ended)
}

// What arrives as INT on a terminal has reached CMD already; anything else would
// reach it twice.
func TestInterruptIsNotForwardedOnATerminal(t *testing.T) {
	c := newConsole(t)
	pid := filepath.Join(c.dir, "pid")
	const script = `
		trap "echo interrupted" INT QUIT; trap "echo usr" USR1
		echo $PPID >$1; until [ -e done ]; do sleep 0.01; done`
	c.runs(spec{Argv: sh(script, pid)})
	wrapper := pidIn(t, pid)
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGQUIT} {
		require.NoError(t, syscall.Kill(wrapper, sig))
		eventually(t, func() bool { return pendingSignals(t, wrapper) == 0 }, "signal pending")
		require.NoError(t, syscall.Kill(wrapper, syscall.SIGUSR1))
		c.expect("usr\r\n")
	}
	require.NoError(t, os.WriteFile(filepath.Join(c.dir, "done"), nil, 0o600))
	c.status("0")
	require.NotContains(t, c.all(), "interrupted")
	require.Zero(t, c.report().Ended)
}

func TestCtrlCAfterTheCommandHasEnded(t *testing.T) {
	t.Parallel() // it mostly waits
	c := newConsole(t)
	pid := filepath.Join(c.dir, "pid")
	argv, file, _ := leaveDaemon(t, `sh -c 'trap "" INT; echo $$ >$0; while :; do sleep 1; done' $3 & exit 3`)
	c.runs(spec{Argv: append(argv, pid), Grace: 1})
	member, spared := pidIn(t, pid), pidIn(t, file)
	c.expect("Ctrl-C ends those still in its process group")
	c.typed("\x03")
	eventually(t, func() bool { return !exists(member) }, "the group's member lives")
	c.expect("a further signal to end")
	require.True(t, exists(spared))
	c.typed("\x03")
	c.status(itoa(strandedCode))
	require.Equal(t, syscall.SIGINT, c.report().Ended)
}

func TestCtrlZAfterTheCommandHasEnded(t *testing.T) {
	t.Parallel() // it mostly waits
	c := newConsole(t)
	argv, file, release := leaveDaemon(t, "exit 3")
	c.runs(spec{Argv: argv})
	pidIn(t, file)
	c.expect("waiting for")
	c.typed("\x1a")
	c.expect("Stopped")
	c.expect(prompt)
	c.typed("fg\n")
	c.expect("./wrapper\r\n")
	open(t, release)
	c.status("3")
}

func TestTranscriptOnATerminal(t *testing.T) {
	c := newConsole(t)
	transcript := filepath.Join(c.dir, "transcript")
	const script = `
		[ -t 0 ] && [ -t 1 ] && [ -t 2 ] || exit
		trap "stty size <&1" WINCH
		stty size <&1
		until [ -e done ]; do sleep 0.01; done`
	c.runs(spec{Argv: sh(script), Transcript: transcript})
	c.expect("24 200\r\n")
	require.NoError(t, pty.Setsize(c.tty, &pty.Winsize{Rows: 30, Cols: 99}))
	c.expect("30 99\r\n")
	require.NoError(t, os.WriteFile(filepath.Join(c.dir, "done"), nil, 0o600))
	c.status("0")
	require.True(t, strings.HasPrefix(slurp(t, transcript), "24 200\n"), "as written, before the terminal's processing")
	require.True(t, strings.HasSuffix(slurp(t, transcript), "\n30 99\n"))

	c.runs(spec{Argv: sh("[ -t 1 ] || echo piped; [ -t 2 ] && echo tty >&2; seq 1 20000"), Transcript: transcript})
	c.expect("tty\r\n")
	c.expect("\r\n20000\r\n")
	c.status("0")
	require.True(t, strings.HasSuffix(slurp(t, transcript), "\n20000\n"))
}
