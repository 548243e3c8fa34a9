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

// requireFoundAt asserts that the session is found, and that nothing is missing when another is not.
func requireFoundAt(t *testing.T, socket, session string) {
	t.Helper()
	answer, at, err := Ask(t.Context(), session)
	require.NoError(t, err)
	require.Equal(t, Present, answer)
	require.Equal(t, socket, at)
	require.Equal(t, NoSession, ask(t, "gone"))
	screen, err := Screen(t.Context(), session)
	require.NoError(t, err)
	require.Contains(t, string(screen), "window and pane")
}

// requireUntold asserts that neither of a session that lives unreached nor of any other the answer is no.
func requireUntold(t *testing.T, sessions ...string) {
	t.Helper()
	for _, session := range sessions {
		answer, _, err := Ask(t.Context(), session)
		require.Error(t, err, session)
		require.Zero(t, answer)
	}
}

func TestServerOfAnotherLabelIsAsked(t *testing.T) {
	private(t)
	serve(t, "", "outer")
	socket := filepath.Join(filepath.Dir(server("").path()), "s2")
	serve(t, socket, "seed") // so that its end is ours
	out, err := exec.Command("tmux", "-L", "s2", "new-session", "-d", "-s", "web-42", "sleep 300").CombinedOutput()
	require.NoError(t, err, string(out))
	requireFoundAt(t, socket, "web-42")
	requireFoundAt(t, server("").path(), "outer")
}

func TestServersAtAnySocketAreAsked(t *testing.T) {
	private(t)
	for _, name := range []string{"plain", "with  spaces ", "a,b", "ü"} {
		socket := filepath.Join(shortDir(t), name)
		serve(t, socket, "at"+name)
		requireFoundAt(t, socket, "at"+name)
	}
}

func TestServerOfAnotherSocketDirectoryIsAsked(t *testing.T) {
	private(t)
	here := os.Getenv("TMUX_TMPDIR")
	t.Setenv("TMUX_TMPDIR", shortDir(t))
	serve(t, "", "web-42")
	socket := server("").path()
	t.Setenv("TMUX_TMPDIR", here)
	requireFoundAt(t, socket, "web-42")
}

func TestServerAtRelativePathIsAsked(t *testing.T) {
	private(t)
	dir := shortDir(t)
	start := exec.Command("tmux", "-f", "/dev/null", "-S", "./here", "new-session", "-d", "-s", "web-42", "sleep 300")
	start.Dir = dir
	out, err := start.CombinedOutput()
	require.NoError(t, err, string(out))
	socket := filepath.Join(dir, "here")
	serve(t, socket, "seed")
	requireFoundAt(t, socket, "web-42")
}

func TestServerWithoutSessionsIsAsked(t *testing.T) {
	private(t)
	socket := filepath.Join(shortDir(t), "s")
	serve(t, socket, "web-42")
	client(t, socket, "set-option", "-s", "exit-empty", "off")
	client(t, socket, "kill-session", "-t", "=web-42")
	require.Equal(t, NoSession, ask(t, "web-42"))
}

func TestEndedServerElsewhereIsANo(t *testing.T) {
	private(t)
	socket := filepath.Join(shortDir(t), "s")
	pid := serve(t, socket, "web-42")
	require.Equal(t, Present, ask(t, "web-42"))
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	require.Equal(t, NoServer, ask(t, "web-42"), "also while it dies")
}

// TestServersThatComeAndGo asks while servers start, fork, and end at every moment.
func TestServersThatComeAndGo(t *testing.T) {
	private(t)
	socket := filepath.Join(shortDir(t), "s")
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 30 { // a client that comes while the server leaves fails
			_ = exec.Command("tmux", "-f", "/dev/null", "-S", socket, "new-session", "-d", "-s", "brief", "true").Run()
		}
	}()
	for coming := true; coming; {
		require.NotEqual(t, Present, ask(t, "web-42"))
		select {
		case <-done:
			coming = false
		default:
		}
	}
	require.Eventually(t, func() bool {
		answer, _, err := Ask(t.Context(), "brief") // the last one may go at any moment
		return err == nil && answer == NoServer
	}, time.Minute, 10*time.Millisecond)
}

func TestServerElsewhereWithoutSocketIsNotANo(t *testing.T) {
	private(t)
	hasten(t)
	socket := filepath.Join(shortDir(t), "s")
	pid := serve(t, socket, "web-42")
	require.NoError(t, os.Remove(socket))
	requireUntold(t, "web-42", "gone")
	require.NoError(t, syscall.Kill(pid, syscall.SIGUSR1))
	require.Eventually(t, func() bool {
		_, err := os.Stat(socket)
		return err == nil
	}, 10*time.Second, 10*time.Millisecond)
	requireFoundAt(t, socket, "web-42")
}

func TestServerWhoseSocketAnotherTookIsNotANo(t *testing.T) {
	private(t)
	hasten(t)
	socket := filepath.Join(shortDir(t), "s")
	serve(t, socket, "web-42")
	require.NoError(t, os.Remove(socket))
	serve(t, socket, "other")
	require.Equal(t, Present, ask(t, "other"))
	requireUntold(t, "web-42", "gone")
}

func TestStoppedServerElsewhereIsNotANo(t *testing.T) {
	private(t)
	hasten(t)
	serve(t, "", "outer")
	pid := serve(t, filepath.Join(shortDir(t), "s"), "web-42")
	require.NoError(t, syscall.Kill(pid, syscall.SIGSTOP))
	_, _, err := Ask(t.Context(), "web-42")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Equal(t, Present, ask(t, "outer"), "who has it says so whoever is silent")
	require.NoError(t, syscall.Kill(pid, syscall.SIGCONT))
	require.Equal(t, Present, ask(t, "web-42"))
}

func TestServerInAnotherMountNamespaceIsNotANo(t *testing.T) {
	private(t)
	hasten(t)
	if out, err := exec.Command("unshare", "--user", "--mount", "true").CombinedOutput(); err != nil {
		testkit.Skip(t, "no mount namespace can be made: "+string(out))
	}
	socket := filepath.Join(shortDir(t), "s")
	out, err := exec.Command("unshare", "--user", "--mount", "sh", "-c",
		`tmux -f /dev/null -S "$0" new-session -d -s web-42 'sleep 300' && tmux -S "$0" display-message -p '#{pid}'`, socket).Output()
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(out)))
	require.NoError(t, err)
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
	requireUntold(t, "web-42", "gone")
	t.Setenv("TMUX", socket+",1,0")
	require.Equal(t, Present, ask(t, "web-42"), "who names it trusts it")
	require.Equal(t, NoSession, ask(t, "gone"))
}

func TestOtherUsersServersAreNotOurs(t *testing.T) {
	private(t)
	pid := serve(t, filepath.Join(shortDir(t), "s"), "web-42")
	p, err := examine(pid)
	require.NoError(t, err)
	require.True(t, p.mayServe())
	require.NoError(t, os.Chmod(os.Getenv("TMUX_TMPDIR"), 0o777)) // each user makes a directory there
	require.NoError(t, become(os.Getuid()+1))
	answer, _, err := Ask(t.Context(), "web-42")
	require.NoError(t, become(os.Getuid()-1))
	require.NoError(t, err)
	require.Equal(t, NoServer, answer)
}

func TestClientsAndZombiesAreNoServers(t *testing.T) {
	us := strconv.Itoa(os.Geteuid())
	require.True(t, process{name: serverName, euid: us}.mayServe())
	require.True(t, process{name: "tmux", exe: "tmux", euid: us}.mayServe(), "where tmux cannot set its name")
	require.False(t, process{name: clientName, exe: "tmux", euid: us}.mayServe())
	require.False(t, process{name: serverName, exe: "tmux", euid: us, dead: true}.mayServe())
	require.False(t, process{name: "sh", exe: "dash", euid: us}.mayServe())
	require.False(t, process{}.mayServe())
}
