package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/ownership"
)

// seen is what a watch said of a session.
type seen struct {
	Key           string
	State         ownership.State
	PreviousState *ownership.State
}

func TestWatchShowsChangesAsTheyCome(t *testing.T) {
	t.Parallel() // it mostly waits
	home := t.TempDir()
	env := append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+home, "HOLDFAST_STORE=")
	held := start(t, env, "holder", "K")
	require.Eventually(t, func() bool { return session(t, home, "assert", "K", "held").code == 0 }, patience, pollEvery)

	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	watch := exec.CommandContext(ctx, "session", "--json", "list", "--watch")
	watch.Env = env
	out, err := watch.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, watch.Start())
	t.Cleanup(func() { _ = watch.Process.Kill(); _ = watch.Wait() })
	rows := bufio.NewScanner(out)

	next := func() (s seen) {
		require.True(t, rows.Scan(), "the watch ended")
		require.NoError(t, json.Unmarshal(rows.Bytes(), &s))
		return s
	}
	require.Equal(t, seen{"K", ownership.StateHeld, nil}, next())
	require.NoError(t, held.Process.Signal(syscall.SIGKILL))
	_ = held.Wait()
	was := ownership.StateHeld
	require.Equal(t, seen{"K", ownership.StateStranded, &was}, next())

	// A reader that goes away ends it, with the next change at the latest.
	require.NoError(t, out.Close())
	start(t, env, "holder", "L")
	_ = watch.Wait()
	require.Equal(t, 74, watch.ProcessState.ExitCode())
}

func start(t *testing.T, env []string, name string, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.Command(name, args...)
	c.Env = env
	require.NoError(t, c.Start())
	t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	return c
}
