package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/testkit"
)

// A look at work that is interrupted clears away what it made, and says so by its exit code.
func TestInterruptedLookAtWorkLeavesNothing(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		testkit.Skip(t, "no git")
	}
	home, bin := t.TempDir(), t.TempDir()
	worktree := filepath.Join(home, "work")
	require.NoError(t, exec.Command(git, "init", "-q", worktree).Run())
	env := append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+home, "HOLDFAST_STORE=")
	held := start(t, env, "holder", "worktree="+worktree, "K")
	require.Eventually(t, func() bool { return session(t, home, "assert", "K", "held").code == 0 }, patience, pollEvery)
	require.NoError(t, held.Process.Kill())
	_ = held.Wait()
	for _, args := range [][]string{{"inspect", "K"}, {"list", "--wide"}} {
		begun, temp := filepath.Join(t.TempDir(), "begun"), t.TempDir()
		slow := fmt.Sprintf("#!/bin/sh\n[ \"$1\" != version ] || exec '%s' version\n: >'%s'\nexec sleep 60\n", git, begun)
		require.NoError(t, os.WriteFile(filepath.Join(bin, "git"), []byte(slow), 0o700))
		look := start(t, append(env, "TMPDIR="+temp, "PATH="+bin+":"+os.Getenv("PATH")), "session", args...)
		require.Eventually(t, func() bool { _, err := os.Stat(begun); return err == nil }, patience, pollEvery)
		require.NoError(t, look.Process.Signal(syscall.SIGINT))
		_ = look.Wait()
		require.True(t, look.ProcessState.Exited(), "%v: it was ended by the signal itself", args)
		left, err := os.ReadDir(temp)
		require.NoError(t, err)
		require.Empty(t, left, "%v", args)
	}
}

// A batch that waits for its rows ends when it is interrupted: whoever writes them may not.
func TestInterruptedBatchWaitsForNoRows(t *testing.T) {
	home := t.TempDir()
	env := append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+home, "HOLDFAST_STORE=")
	held := start(t, env, "holder", "K")
	require.Eventually(t, func() bool { return session(t, home, "assert", "K", "held").code == 0 }, patience, pollEvery)
	require.NoError(t, held.Process.Kill())
	_ = held.Wait()
	listed := session(t, home, "--json", "list", "--state", "stranded")
	rows := filepath.Join(home, "rows")
	require.NoError(t, syscall.Mkfifo(rows, 0o600))
	writer, err := os.OpenFile(rows, os.O_RDWR, 0) // which waits for no reader
	require.NoError(t, err)
	defer writer.Close()
	_, err = writer.WriteString(listed.stdout)
	require.NoError(t, err)
	batch := start(t, env, "session", "recover", "--from", rows, "--force")
	require.Eventually(t, func() bool { return session(t, home, "assert", "K", "idle").code == 0 }, patience, pollEvery)
	require.NoError(t, batch.Process.Signal(syscall.SIGTERM))
	ended := make(chan struct{})
	go func() { _ = batch.Wait(); close(ended) }()
	select {
	case <-ended:
		require.Equal(t, 84, batch.ProcessState.ExitCode())
	case <-time.After(patience):
		t.Error("it still waits for rows")
		require.NoError(t, batch.Process.Kill())
		<-ended
	}
}
