package tmux

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/testkit"
)

// private gives the test a user and a socket directory of its own, so that no other server is asked, touched or ended.
func private(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		testkit.Skip(t, "tmux is not installed")
	}
	becomeAnotherUser(t)
	t.Setenv("TMUX_TMPDIR", shortDir(t))
	t.Setenv("TMUX", "")
	t.Setenv("SHELL", "/bin/sh") // else it is looked up for an identity that may have none
}

// shortDir is for sockets, whose paths must be short.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "hf")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// client is a tmux command, at the default server where socket is empty.
func client(t *testing.T, socket string, args ...string) string {
	t.Helper()
	options := []string{"-u", "-f", "/dev/null"}
	if socket != "" {
		options = append(options, "-S", socket)
	}
	out, err := exec.Command("tmux", append(options, args...)...).CombinedOutput()
	require.NoError(t, err, string(out))
	return strings.TrimSpace(string(out))
}

// serve starts a server with sessions of these names, until the end of the test. It returns the server's pid.
func serve(t *testing.T, socket string, names ...string) int {
	t.Helper()
	for _, name := range names {
		client(t, socket, "new-session", "-d", "-s", name, "sleep 300")
	}
	pid, err := strconv.Atoi(client(t, socket, "display-message", "-p", "#{pid}"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
	return pid
}

func ask(t *testing.T, session string) Answer {
	t.Helper()
	answer, _, err := Ask(t.Context(), session)
	require.NoError(t, err)
	alive, err := Alive(t.Context(), session)
	require.NoError(t, err)
	require.Equal(t, answer == Present, alive)
	return answer
}

func TestNoServer(t *testing.T) {
	private(t)
	require.Equal(t, NoServer, ask(t, "web-42"))
	pid := serve(t, "", "web-42")
	require.Equal(t, Present, ask(t, "web-42"))
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	require.Eventually(t, func() bool {
		answer, _, _ := Ask(t.Context(), "web-42") // an error while it dies
		return answer == NoServer
	}, 10*time.Second, 10*time.Millisecond, "its socket is left, and nobody listens")
}

func TestNamesAreExact(t *testing.T) {
	private(t)
	serve(t, "", "web-42", "a*c", "Case")
	for _, name := range []string{"web", "web-4", "web-42 ", "eb-42", "=web-42", "web-42:", "web-42:0", "web-42.0", "*", "a?c", "abc",
		"case", "-t", "-a", "--", "#{session_name}", "{last}", "!", "+", "~"} {
		require.Equal(t, NoSession, ask(t, name), name)
	}
	require.Equal(t, Present, ask(t, "a*c"))
}

func TestNamesAreThoseGivenToTmux(t *testing.T) {
	names := []string{"a.b", "c:d", `e\f`, "we$ird", "${a}", "-x", "ü é 漢", "sp ace", "=q", "$3x", "a'b\"c", "x;y", "$77", "%5"}
	private(t)
	t.Setenv("LC_ALL", "C") // the asker's locale does not matter
	serve(t, "", names...)
	for _, name := range names {
		require.Equal(t, Present, ask(t, name), name)
	}
	require.Equal(t, Present, ask(t, "a_b"), "to tmux it is the same name")
}

func TestWhatIsNoNameCannotBeTold(t *testing.T) {
	private(t)
	serve(t, "", "web-42")
	for _, name := range []string{"", "a\nb", "\x1b[2J", "\xff", "$0", "@1", "%5"} {
		alive, err := Alive(t.Context(), name)
		require.Error(t, err, name)
		require.False(t, alive)
	}
}

func TestSurroundingServerIsAskedToo(t *testing.T) {
	private(t)
	socket := filepath.Join(os.Getenv("TMUX_TMPDIR"), "other")
	serve(t, socket, "inner")
	t.Setenv("TMUX", socket+",1,0")
	require.Equal(t, Present, ask(t, "inner"))
	require.Equal(t, NoSession, ask(t, "web-42"))
	serve(t, "", "outer")
	require.Equal(t, Present, ask(t, "outer"))
	require.Equal(t, Present, ask(t, "inner"))
}

func TestAliveAnywhereIsAlive(t *testing.T) {
	private(t)
	serve(t, "", "web-42")
	t.Setenv("TMUX", filepath.Join(os.Getenv("TMUX_TMPDIR"), strings.Repeat("x", 200))+",1,0")
	require.Equal(t, Present, ask(t, "web-42"))
	_, _, err := Ask(t.Context(), "gone")
	require.Error(t, err, "the other server could not be asked")
}

func TestRemovedSocketIsNotANo(t *testing.T) {
	private(t)
	hasten(t)
	serve(t, "", "web-42")
	sockets, err := filepath.Glob(filepath.Join(os.Getenv("TMUX_TMPDIR"), "*", "default"))
	require.NoError(t, err)
	require.Len(t, sockets, 1)
	require.NoError(t, os.Remove(sockets[0]))
	_, _, err = Ask(t.Context(), "web-42")
	require.ErrorContains(t, err, sockets[0])
}

func TestStoppedServerIsNotANo(t *testing.T) {
	private(t)
	hasten(t)
	pid := serve(t, "", "web-42")
	require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
	short, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, _, err := Ask(short, "web-42")
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

func TestMissingTmuxIsNotANo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, _, err := Ask(t.Context(), "web-42")
	require.ErrorIs(t, err, exec.ErrNotFound)
}

// TestOddAnswersAreNotANo puts a program in tmux's place.
func TestOddAnswersAreNotANo(t *testing.T) {
	t.Setenv("TMUX", "")
	for _, script := range []string{
		"echo 'error connecting to /tmp/tmux-1000/default (Permission denied)' >&2; exit 1",
		"echo 'protocol version mismatch (client 8, server 7)' >&2; exit 1",
		"echo 'server exited unexpectedly' >&2; exit 1",
		"echo 'no server running' >&2; exit 1",
		"exit 1",
		"kill -9 $$",
		"echo web-42",
		"printf '$1:web-42'",
		"echo; echo '$1:web-42'",
		"echo '$1:'",
	} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "tmux"), []byte("#!/bin/sh\n"+script+"\n"), 0o700))
		t.Setenv("PATH", dir)
		answer, _, err := Ask(t.Context(), "web-42")
		require.Error(t, err, script)
		require.Zero(t, answer)
	}
}
