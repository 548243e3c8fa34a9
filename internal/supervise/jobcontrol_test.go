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

// Each with and without a transcript.
func onTerminal(t *testing.T, test func(t *testing.T, c *console, transcript string)) {
	t.Run("plain", func(t *testing.T) { test(t, newConsole(t), "") })
	t.Run("transcript", func(t *testing.T) {
		c := newConsole(t)
		test(t, c, filepath.Join(c.dir, "transcript"))
	})
}

func TestCtrlCEndsTheCommandAndIsNoRequestToUs(t *testing.T) {
	onTerminal(t, func(t *testing.T, c *console, transcript string) {
		c.runs(spec{Argv: sh("echo up; exec sleep 300"), Transcript: transcript})
		c.expect("up\r\n")
		c.typed("\x03")
		c.status("130")
		require.Zero(t, c.report().Ended)
		require.True(t, c.report().Quiescent)
	})
}

func TestCtrlCThatTheCommandCatches(t *testing.T) {
	onTerminal(t, func(t *testing.T, c *console, transcript string) {
		c.runs(spec{Argv: sh(`trap "echo caught" INT QUIT; echo $$ >shell.pid; echo up; until read x; do :; done; echo got $x; exit 5`), Transcript: transcript})
		c.expect("up\r\n")
		shell := pidIn(t, filepath.Join(c.dir, "shell.pid"))
		for _, key := range []string{"\x03", "\x1c"} {
			reads(t, shell)
			c.typed(key)
			c.expect("caught\r\n")
		}
		c.typed("line\n")
		c.expect("got line\r\n")
		c.status("5")
		require.Equal(t, 2, strings.Count(c.all(), "caught\r\n"), "once each")
	})
}

func TestCtrlZStopsAndFgResumes(t *testing.T) {
	onTerminal(t, func(t *testing.T, c *console, transcript string) {
		const script = `trap "echo resumed" CONT; echo $$ >shell.pid; echo up; until read x; do :; done; echo got $x; exit 7`
		c.runs(spec{Argv: sh(script), Transcript: transcript})
		c.expect("up\r\n")
		shell := pidIn(t, filepath.Join(c.dir, "shell.pid"))
		for range 3 {
			reads(t, shell)
			c.typed("\x1a")
			c.expect("Stopped")
			c.expect(prompt)
			c.typed("fg\n")
			c.expect("resumed\r\n") // bash has given it the terminal by then
		}
		c.typed("hello\n")
		c.expect("got hello\r\n")
		c.status("7")
		if transcript != "" {
			require.Equal(t, "up\nresumed\nresumed\nresumed\ngot hello\n", slurp(t, transcript))
		}
	})
}

// A command that ignores TSTP runs on, and so must the wrapper.
func TestCtrlZThatTheCommandIgnores(t *testing.T) {
	c := newConsole(t)
	c.runs(spec{Argv: sh(`trap "" TSTP; echo up; read x; echo got $x`)})
	c.expect("up\r\n")
	c.typed("\x1a")
	c.typed("hello\n")
	c.expect("got hello\r\n")
	c.status("0")
	require.NotContains(t, c.all(), "Stopped")
}

// A command that stops itself alone, after it has put the terminal in order.
func TestCommandThatStopsItself(t *testing.T) {
	onTerminal(t, func(t *testing.T, c *console, transcript string) {
		for _, sig := range []string{"STOP", "TSTP"} {
			c.runs(spec{Argv: sh("echo last words; kill -" + sig + " $$; echo resumed"), Transcript: transcript})
			c.expect("last words\r\n")
			c.expect("Stopped")
			c.expect(prompt)
			c.typed("fg\n")
			c.expect("resumed\r\n")
			c.status("0")
		}
	})
}

func TestInteractiveShellAsTheCommand(t *testing.T) {
	c := newConsole(t)
	c.runs(spec{Argv: []string{"bash", "--norc", "--noediting", "-i"}})
	c.expect(prompt)
	c.typed("sh -c 'echo in; read x; echo out $x'\n")
	c.expect("\nin\r\n")
	c.typed("\x1a")
	c.expect("Stopped")
	c.expect(prompt)
	c.typed("fg\n")
	c.typed("word\n")
	c.expect("\nout word\r\n")
	c.expect(prompt)
	c.typed("suspend\n")
	c.expect("Stopped")
	c.expect("./wrapper")
	c.expect(prompt)
	c.typed("fg\n")
	c.expect("./wrapper\r\n")
	c.typed("echo back\n")
	c.expect("echo back\r\n")
	c.expect("back\r\n")
	c.expect(prompt)
	c.typed("exit 4\n")
	c.expect("\nexit\r\n")
	c.status("4")
}

// bash suspends itself in a group of its own, which a hangup does not reach.
func TestHangupEndsAStoppedShell(t *testing.T) {
	c := newConsole(t)
	c.runs(spec{Argv: sh("echo $PPID >wrapper.pid; echo $$ >shell.pid; exec bash --norc --noediting -i")})
	wrapper, shell := pidIn(t, filepath.Join(c.dir, "wrapper.pid")), pidIn(t, filepath.Join(c.dir, "shell.pid"))
	c.expect(prompt)
	require.NoError(t, syscall.Kill(shell, syscall.SIGSTOP))
	c.expect("Stopped")
	c.expect(prompt)
	require.NoError(t, syscall.Kill(wrapper, syscall.SIGHUP))
	require.NoError(t, syscall.Kill(wrapper, syscall.SIGCONT))
	eventually(t, func() bool { return !exists(shell) && !exists(wrapper) }, "still there")
}

func TestTerminalIsTakenBackFromAShellThatWasKilled(t *testing.T) {
	t.Parallel() // it mostly waits
	c := newConsole(t)
	argv, file, _ := leaveDaemon(t, "exec bash --norc --noediting -i")
	c.runs(spec{Argv: argv, Grace: 1})
	pidIn(t, file)
	c.expect(prompt)
	c.typed("kill -9 $$\n")
	c.expect("Ctrl-C ends those still in its process group")
	c.typed("\x03")
	c.expect("a further signal to end")
	c.typed("\x03")
	c.status(itoa(strandedCode))
}

func TestFreshChildOnATerminal(t *testing.T) {
	c := newConsole(t)
	c.typed("trap : USR1\n")
	c.expect(prompt)
	s := spec{Fresh: true, Argv: sh(`trap "echo resumed" CONT; echo $$ >shell.pid; echo up; until read x; do :; done; echo got $x; read x; exit 7`), Report: filepath.Join(c.dir, "report")}
	argv := argvOf(t, s)
	script := "#!/bin/sh\nsh -c 'echo $$ >stranger; exec sleep 300' &\nexec " + argv[0] + " wrap '" + argv[2] + "'\n"
	require.NoError(t, os.WriteFile(filepath.Join(c.dir, "wrapper"), []byte(script), 0o700))
	c.typed("./wrapper\n")
	c.expect("up\r\n")
	shell := pidIn(t, filepath.Join(c.dir, "shell.pid"))
	for range 3 {
		reads(t, shell)
		c.typed("\x1a")
		c.expect("Stopped")
		c.expect(prompt)
		c.typed("fg\n")
		c.expect("resumed\r\n")
	}
	c.typed("hello\n")
	c.expect("got hello\r\n")
	c.typed("\x03")
	c.status("130")
	require.True(t, c.report().Quiescent)
	require.Zero(t, c.report().Ended)
	require.True(t, exists(pidIn(t, filepath.Join(c.dir, "stranger"))))
}
