package tmux

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/halt"
	"holdfast/internal/procid"
)

const brief = 200 * time.Millisecond

// enter starts a session that runs a shell script, and returns it once the script has written its last line.
func enter(t *testing.T, name, script string) (*Session, string) {
	t.Helper()
	out := filepath.Join(shortDir(t), "out")
	require.NoError(t, os.Chmod(filepath.Dir(out), 0o777))
	script = strings.ReplaceAll(script, "OUT", out)
	client(t, "", "new-session", "-d", "-s", name, script+"\necho ready >> "+out+"; sleep 300")
	require.Eventually(t, func() bool {
		b, _ := os.ReadFile(out)
		return strings.Contains(string(b), "ready")
	}, 10*time.Second, 10*time.Millisecond)
	return mustFind(t, name), out
}

func mustFind(t *testing.T, name string) *Session {
	t.Helper()
	found, err := Find(t.Context(), name)
	require.NoError(t, err)
	require.NotNil(t, found)
	return found
}

func requireGone(t *testing.T, pid int) {
	t.Helper()
	_, exists, err := procid.Exists(procid.ThisHost().PIDNamespace, pid, nil)
	require.NoError(t, err)
	require.False(t, exists, pid)
}

// keepServer lets the server live on without the session of a test.
func keepServer(t *testing.T) int {
	t.Helper()
	return serve(t, "", "other")
}

func TestDestroyProvesThatThePanesAreGone(t *testing.T) {
	private(t)
	keepServer(t)
	s, _ := enter(t, "web-42", `nohup sleep 301 >/dev/null 2>&1 &
(nohup sleep 302 >/dev/null 2>&1 &) # an orphan of the pane's terminal
setsid sleep 303 &
sh -c 'trap "" HUP TERM; echo ignoring >> OUT; while :; do sleep 1; done' &
until grep -q ignoring OUT; do sleep 0.01; done`)
	all, err := s.Processes(t.Context())
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(all), 5, "%v", all)
	d, err := s.Destroy(t.Context(), brief)
	require.NoError(t, err)
	require.Subset(t, programs(d.Ended), []string{"sleep"})
	for _, p := range all {
		requireGone(t, p.PID)
	}
	require.Contains(t, signals(d.Sent), syscall.SIGTERM, "somebody ignored the hangup")
	require.Contains(t, signals(d.Sent), syscall.SIGKILL, "and somebody TERM too")
	require.Equal(t, NoSession, ask(t, "web-42"))
	require.Equal(t, Present, ask(t, "other"), "nothing else of the server ends")
}

func programs(all []procid.Process) (names []string) {
	for _, p := range all {
		names = append(names, p.Program)
	}
	return names
}

func signals(sent []halt.Sent) (all []syscall.Signal) {
	for _, s := range sent {
		all = append(all, s.Signal)
	}
	return all
}

// A session is meant exactly: not one whose name begins alike, and not a later one of the same name.
func TestDestroyNeverMeansAnother(t *testing.T) {
	private(t)
	keepServer(t)
	s, _ := enter(t, "web-4", "")
	client(t, "", "new-session", "-d", "-s", "web-42", "sleep 300")
	client(t, "", "kill-session", "-t", "=web-4")
	client(t, "", "new-session", "-d", "-s", "web-4", "sleep 300")
	_, err := s.Destroy(t.Context(), brief)
	require.Error(t, err)
	require.Error(t, s.Interrupt(t.Context()))
	require.Equal(t, Present, ask(t, "web-4"))
	require.Equal(t, Present, ask(t, "web-42"))
	gone, err := Find(t.Context(), "web")
	require.NoError(t, err)
	require.Nil(t, gone)
}

// A server that took the place of another gives the same ids again.
func TestDestroyNeverMeansALaterServer(t *testing.T) {
	private(t)
	pid := keepServer(t)
	s := mustFind(t, "other")
	require.NoError(t, syscall.Kill(pid, syscall.SIGKILL))
	require.Eventually(t, func() bool {
		answer, _, _ := Ask(t.Context(), "other")
		return answer == NoServer
	}, 10*time.Second, 10*time.Millisecond)
	keepServer(t)
	require.Equal(t, s.ID, mustFind(t, "other").ID)
	_, err := s.Destroy(t.Context(), brief)
	require.ErrorIs(t, err, ErrReplaced)
	require.ErrorIs(t, s.do(t.Context(), "kill-session -t '"+s.ID+"'"), ErrReplaced, "the server itself compares")
	require.ErrorIs(t, s.Interrupt(t.Context()), ErrReplaced)
	require.Equal(t, Present, ask(t, "other"))
}

func TestInterruptReachesWhatRuns(t *testing.T) {
	private(t)
	keepServer(t)
	s, out := enter(t, "web-42", `trap 'echo interrupted >> OUT' INT`)
	client(t, "", "copy-mode", "-t", "=web-42:") // a person has scrolled back
	require.NoError(t, s.Interrupt(t.Context()))
	require.Eventually(t, func() bool {
		answer, _, err := Ask(t.Context(), "web-42") // the interrupted sleep ends, and the pane with it
		b, _ := os.ReadFile(out)
		return err == nil && (strings.Contains(string(b), "interrupted") || answer == NoSession)
	}, 10*time.Second, 10*time.Millisecond)
}

// What another session shows too is not this session's to end.
func TestDestroySparesSharedPanes(t *testing.T) {
	private(t)
	keepServer(t)
	s, _ := enter(t, "web-42", "")
	client(t, "", "link-window", "-s", "=web-42:0", "-t", "=other:7")
	panes, err := s.Panes(t.Context())
	require.NoError(t, err)
	require.Len(t, panes, 1)
	require.True(t, panes[0].Shared)
	d, err := s.Destroy(t.Context(), brief)
	require.NoError(t, err)
	require.Empty(t, d.Ended)
	_, exists, err := procid.Exists(procid.ThisHost().PIDNamespace, panes[0].PID, nil)
	require.NoError(t, err)
	require.True(t, exists)
}

// tmux remembers the number of a dead pane's program, which can be anybody's by now.
func TestDeadPanesNameNobody(t *testing.T) {
	private(t)
	keepServer(t)
	client(t, "", "set-option", "-g", "remain-on-exit", "on")
	client(t, "", "new-session", "-d", "-s", "web-42", "true")
	s := mustFind(t, "web-42")
	require.Eventually(t, func() bool {
		panes, err := s.Panes(t.Context())
		require.NoError(t, err)
		return len(panes) == 0
	}, 10*time.Second, 10*time.Millisecond)
	stranger := exec.Command("sleep", "300")
	require.NoError(t, stranger.Start())
	t.Cleanup(func() { _ = stranger.Process.Kill(); _ = stranger.Wait() })
	scan, err := procid.ScanNow(t.Context())
	require.NoError(t, err)
	require.Empty(t, processesOf(scan, s.pid, Pane{PID: stranger.Process.Pid}), "no child of the server")
	_, err = s.Destroy(t.Context(), brief)
	require.NoError(t, err)
}

func TestCommandsForPeopleAreExact(t *testing.T) {
	private(t)
	keepServer(t)
	socket := filepath.Join(shortDir(t), "s")
	serve(t, socket, "web-42", "we$ird")
	for _, name := range []string{"web-42", "we$ird"} {
		s := mustFind(t, name)
		argv := s.Command("kill-session", "-t", s.Target())
		require.Equal(t, []string{"tmux", "-S", socket}, argv[:3])
		out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	require.Equal(t, "tmux", mustFind(t, "other").Command("x")[0])
	require.Equal(t, 2, len(mustFind(t, "other").Command("x")))
}
