//go:build linux

package supervise_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// through runs a shell script in which "$@" is the wrapper, without a terminal.
func through(t *testing.T, script string, s spec) *wrapper {
	t.Helper()
	w := prepare(t, spec{})
	s.Report = filepath.Join(w.dir, "report")
	w.cmd.Path = "/bin/sh"
	w.cmd.Args = sh(script, argvOf(t, s)...)
	return w
}

// Case 7.
func TestStdinPassesThrough(t *testing.T) {
	w := prepare(t, spec{Argv: []string{"cat"}})
	w.cmd.Stdin = strings.NewReader("hi\n")
	require.Zero(t, w.start().wait())
	require.Equal(t, "hi\n", w.stdout())
}

func TestInheritedDescriptorsPassThrough(t *testing.T) {
	list := sh("cat <&7; ls /proc/self/fd")
	without := through(t, "exec 7</dev/null; "+list[2], spec{})
	require.Zero(t, without.start().wait())
	with := through(t, `exec 7</dev/null; exec "$@"`, spec{Argv: list})
	require.Zero(t, with.start().wait())
	require.Contains(t, with.stdout(), "7\n")
	require.Equal(t, without.stdout(), with.stdout())
}

// Case 8, with and without a transcript.
func TestBrokenStdout(t *testing.T) {
	for _, transcript := range []string{"", filepath.Join(t.TempDir(), "transcript")} {
		w := through(t, `"$@" | head -1`, spec{Argv: []string{"seq", "1", "999999"}, Transcript: transcript})
		require.Zero(t, w.start().wait())
		require.Equal(t, "1\n", w.stdout())
		require.Empty(t, w.stderr())
		eventually(t, func() bool { return slurp(t, filepath.Join(w.dir, "report")) != "" }, "no report")
		r := w.report()
		require.True(t, r.Quiescent)
		require.Equal(t, syscall.SIGPIPE, r.Exit.Signal)
		if transcript != "" {
			require.True(t, strings.HasPrefix(slurp(t, transcript), "1\n2\n3\n"))
		}
	}
}

// Case 8.
func TestClosedStdoutAndStderr(t *testing.T) {
	for _, transcript := range []string{"", filepath.Join(t.TempDir(), "transcript")} {
		w := through(t, `"$@" >&- 2>&-; echo $? >status`, spec{Argv: sh("echo out; exit 5"), Transcript: transcript})
		w.cmd.Dir = w.dir
		require.Zero(t, w.start().wait())
		require.Equal(t, "5\n", slurp(t, filepath.Join(w.dir, "status")))
		require.True(t, w.report().Quiescent)
		if transcript != "" {
			require.Equal(t, "out\n", slurp(t, transcript))
		}
	}
}

func TestBrokenStderrDoesNotOrphanTheCommand(t *testing.T) {
	t.Parallel() // it mostly waits
	argv, file, release := leaveDaemon(t, "exit 3")
	w := prepare(t, spec{Argv: argv})
	r, wr, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, r.Close())
	w.cmd.Stderr = wr
	w.start()
	require.NoError(t, wr.Close())
	pid := pidIn(t, file)
	eventually(t, func() bool { return slurp(t, filepath.Join(w.dir, "report.unsaid")) != "" }, "no notice was tried")
	require.True(t, exists(pid))
	open(t, release)
	require.Equal(t, 3, w.wait())
	require.True(t, w.report().Quiescent)
}

// A stderr that nobody reads must hold up neither the signals nor the end.
func TestBlockedStderr(t *testing.T) {
	t.Parallel() // it mostly waits
	argv, file, _ := leaveDaemon(t, "exit 3")
	w := prepare(t, spec{Argv: argv})
	r, wr, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	fill(t, wr)
	w.cmd.Stderr = wr
	w.start()
	pid := pidIn(t, file)
	eventually(t, func() bool { return blockedWriting(t, w.cmd.Process.Pid) }, "no notice was tried")
	w.signal(syscall.SIGTERM)
	eventually(t, func() bool { return pendingSignals(t, w.cmd.Process.Pid) == 0 }, "TERM pending")
	w.signal(syscall.SIGINT)
	require.Equal(t, strandedCode, w.wait())
	require.True(t, exists(pid))
}

// fill fills a pipe, and leaves its write end blocking.
func fill(t *testing.T, pipe *os.File) {
	t.Helper()
	fd := int(pipe.Fd()) // which makes it block, so only once
	require.NoError(t, syscall.SetNonblock(fd, true))
	for _, size := range []int{4096, 1} {
		var err error
		for err == nil {
			_, err = syscall.Write(fd, make([]byte, size))
		}
		require.ErrorIs(t, err, syscall.EAGAIN)
	}
	require.NoError(t, syscall.SetNonblock(fd, false))
}

// blockedWriting says whether a thread of the process waits in a pipe's write.
func blockedWriting(t *testing.T, pid int) bool {
	t.Helper()
	tasks, err := os.ReadDir("/proc/" + itoa(pid) + "/task")
	require.NoError(t, err)
	for _, task := range tasks {
		call := slurp(t, "/proc/"+itoa(pid)+"/task/"+task.Name()+"/syscall")
		if strings.HasPrefix(call, itoa(syscall.SYS_WRITE)+" 0x2 ") {
			return true
		}
	}
	return false
}

func pendingSignals(t *testing.T, pid int) uint64 {
	t.Helper()
	for line := range strings.Lines(slurp(t, "/proc/"+itoa(pid)+"/status")) {
		if value, ok := strings.CutPrefix(line, "ShdPnd:"); ok {
			return parseHex(t, strings.TrimSpace(value))
		}
	}
	return 0
}
