package mutants

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/procid"
)

// leaving starts what hangs for ever, out of reach of every signal but one, and goes on when it is there.
const leaving = `setsid sh -c 'trap "" HUP INT TERM; sleep 300 & echo $$ $! >"$0.new"; mv "$0.new" "$0"; wait' "$0" >/dev/null 2>&1 &
until [ -e "$0" ]; do sleep 0.01; done
`

// left returns the processes that were left, once they are there.
func left(t *testing.T, at string) (pids [2]int) {
	t.Helper()
	require.Eventually(t, func() bool {
		b, err := os.ReadFile(at)
		_, scanErr := fmt.Sscan(string(b), &pids[0], &pids[1])
		return err == nil && scanErr == nil
	}, time.Minute, time.Millisecond)
	return pids
}

func requireEnded(t *testing.T, pids [2]int) {
	t.Helper()
	var living []int
	for _, pid := range pids {
		_, exists, err := procid.Exists(procid.ThisHost().PIDNamespace, pid, nil)
		require.NoError(t, err)
		if exists {
			living = append(living, pid)
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	require.Empty(t, living)
}

// A defect may leave processes that nothing else ends.
func TestNothingOutlivesTheTestOfAMutant(t *testing.T) {
	at := filepath.Join(t.TempDir(), "pids")
	out, err := kept(t.Context(), "sh", "-c", leaving+"echo failed; exit 3", at).CombinedOutput()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	require.Equal(t, 3, exit.ExitCode())
	require.Equal(t, "failed\n", string(out))
	requireEnded(t, left(t, at))
}

func TestNothingOutlivesALaneThatIsEnded(t *testing.T) {
	at := filepath.Join(t.TempDir(), "pids")
	ctx, cancel := context.WithCancel(t.Context())
	cmd := kept(ctx, "sh", "-c", leaving+"sleep 300", at)
	require.NoError(t, cmd.Start())
	pids := left(t, at)
	cancel()
	require.Error(t, cmd.Wait())
	requireEnded(t, pids)
}

func TestACommandThatCannotBeStartedWasNotKept(t *testing.T) {
	err := kept(t.Context(), filepath.Join(t.TempDir(), "missing")).Run()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	require.Equal(t, notKept, exit.ExitCode())
}
