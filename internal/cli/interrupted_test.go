package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

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
