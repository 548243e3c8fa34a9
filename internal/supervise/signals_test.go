//go:build linux

package supervise_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Case 4.
func TestInterruptedBeforeTheCommandRan(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM} {
		wait := fifo(t)
		mark := filepath.Join(t.TempDir(), "ran")
		w := run(t, spec{Argv: []string{"touch", mark}, WaitFirst: wait})
		eventually(t, func() bool { return catches(t, w.cmd.Process.Pid, syscall.SIGCONT) }, "signals not caught")
		w.signal(sig)
		require.Equal(t, 128+int(sig), w.wait())
		require.NoFileExists(t, mark)
	}
}

// Case 2.
func TestRequestToEndIsForwarded(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM} {
		pid := filepath.Join(t.TempDir(), "pid")
		w := run(t, spec{Argv: sh("echo $$ >$1; exec sleep 300", pid), Grace: deadline})
		c := pidIn(t, pid)
		w.signal(sig)
		require.Equal(t, 128+int(sig), w.wait())
		require.False(t, exists(c))
		require.True(t, w.report().Quiescent)
		require.Equal(t, sig, w.report().Ended)
	}
}

func TestOtherSignalsAreForwarded(t *testing.T) {
	for _, sig := range []string{"USR1", "USR2", "WINCH", "CONT"} {
		ready := filepath.Join(t.TempDir(), "pid")
		w := run(t, spec{Argv: sh(`trap "exit 9" `+sig+`; echo $$ >$1; while :; do read x <$2; done`, ready, fifo(t))})
		pidIn(t, ready)
		w.signal(map[string]syscall.Signal{
			"USR1": syscall.SIGUSR1, "USR2": syscall.SIGUSR2, "WINCH": syscall.SIGWINCH, "CONT": syscall.SIGCONT,
		}[sig])
		require.Equal(t, 9, w.wait())
		require.Zero(t, w.report().Ended)
	}
}

func TestCommandThatSavesItsWorkIsNotKilled(t *testing.T) {
	t.Parallel() // it mostly waits
	dir := t.TempDir()
	ready, saving, proceed := filepath.Join(dir, "pid"), filepath.Join(dir, "saving"), filepath.Join(dir, "proceed")
	const script = `
		trap "trap : TERM; echo >$2; until [ -e $3 ]; do sleep 0.01; echo . >>$2; done; exit 7" TERM
		echo $$ >$1
		while :; do sleep 0.01; done`
	w := run(t, spec{Argv: sh(script, ready, saving, proceed), Grace: time.Millisecond})
	pidIn(t, ready)
	for range 20 {
		w.signal(syscall.SIGTERM)
	}
	eventually(t, func() bool { return slurp(t, saving) != "" }, "TERM not forwarded")
	for range 20 {
		w.signal(syscall.SIGTERM)
	}
	eventually(t, func() bool { return len(slurp(t, saving)) > 100 }, "it was not left to save")
	require.NoError(t, os.WriteFile(proceed, nil, 0o600))
	require.Equal(t, 7, w.wait())
}

func TestIgnoredAtEntryStaysIgnored(t *testing.T) {
	dir := t.TempDir()
	pid := filepath.Join(dir, "pid")
	argv := argvOf(t, spec{Argv: sh("echo $$ >$1; exec sleep 300", pid)})
	w := prepare(t, spec{})
	w.cmd.Path = "/bin/sh"
	w.cmd.Args = append(sh(`trap "" HUP INT; exec "$@"`), argv...)
	w.start()
	c := pidIn(t, pid)
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT} {
		require.True(t, hasSignal(t, c, "SigIgn", sig))
		require.True(t, hasSignal(t, w.cmd.Process.Pid, "SigIgn", sig))
	}
	require.False(t, hasSignal(t, c, "SigIgn", syscall.SIGPIPE))
	w.signal(syscall.SIGTERM)
	require.Equal(t, 143, w.wait())
}

func catches(t *testing.T, pid int, sig syscall.Signal) bool {
	return hasSignal(t, pid, "SigCgt", sig)
}

// hasSignal reads one of the masks of /proc/PID/status.
func hasSignal(t *testing.T, pid int, mask string, sig syscall.Signal) bool {
	t.Helper()
	for line := range strings.Lines(slurp(t, "/proc/"+itoa(pid)+"/status")) {
		if value, ok := strings.CutPrefix(line, mask+":"); ok {
			return parseHex(t, strings.TrimSpace(value))&(1<<(sig-1)) != 0
		}
	}
	return false
}
