package probe_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/probe"
	"holdfast/ownership"
)

// liveIn starts a process with a working directory, in a group of its own (0) or of
// another process.
func liveIn(t *testing.T, dir string, group int) *process {
	t.Helper()
	cmd := exec.Command(executable(t))
	cmd.Env = append(os.Environ(), roleVariable+"=live", quietRace)
	cmd.Dir, cmd.SysProcAttr = dir, inGroup(group)
	return startCommand(t, cmd)
}

func suspectsByPID(t *testing.T, r ownership.Record) map[int]string {
	t.Helper()
	found, err := probe.Suspects(t.Context(), r)
	require.NoError(t, err)
	byPID := map[int]string{}
	for _, s := range found {
		require.NotContains(t, byPID, s.PID, "listed twice")
		require.NotZero(t, s.StartTicks)
		require.NotEmpty(t, s.Program)
		byPID[s.PID] = s.Why
	}
	return byPID
}

func TestSuspectsByGroupAndWorktree(t *testing.T) {
	worktree, elsewhere := t.TempDir(), t.TempDir()
	inside := filepath.Join(worktree, "a", "b")
	require.NoError(t, os.MkdirAll(inside, 0o700))
	owner := liveIn(t, elsewhere, 0)
	r := recordOf(t, owner)
	r.Session.Worktree = &worktree
	member, both := liveIn(t, elsewhere, owner.pid), liveIn(t, worktree, owner.pid)
	worker, stranger := liveIn(t, inside, 0), liveIn(t, elsewhere, 0)

	found := suspectsByPID(t, r)
	require.NotContains(t, found, stranger.pid)
	require.Contains(t, found[member.pid], "group")
	require.NotContains(t, found[member.pid], worktree)
	require.Contains(t, found[worker.pid], worktree)
	require.NotContains(t, found[worker.pid], "group")
	require.Contains(t, found[both.pid], "group")
	require.Contains(t, found[both.pid], worktree)
	require.Contains(t, found, owner.pid)

	owner.end()
	require.Contains(t, suspectsByPID(t, r), member.pid, "a group outlives its leader")
}

// The caller may well sit in the worktree, and is no suspect of its own.
func TestSuspectsLeaveOutTheCaller(t *testing.T) {
	worktree := t.TempDir()
	t.Chdir(worktree)
	r := ownership.Record{Session: ownership.Session{Worktree: &worktree}}
	require.NotContains(t, suspectsByPID(t, r), os.Getpid())
}

// Somebody else's group now has the number.
func TestSuspectsOfAReusedGroup(t *testing.T) {
	p := liveIn(t, t.TempDir(), 0)
	r := recordOf(t, p)
	*r.Owner.StartTicks--
	require.NotContains(t, suspectsByPID(t, r), p.pid)

	*r.Owner.StartTicks++
	require.Contains(t, suspectsByPID(t, r), p.pid)
	other := "0b4e1c52-7d1f-4b6a-9a55-3c1f0e9d2a41"
	r.Owner.BootID = &other
	require.NotContains(t, suspectsByPID(t, r), p.pid, "numbers of another boot name nothing")
}

func inGroup(group int) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pgid: group}
}
