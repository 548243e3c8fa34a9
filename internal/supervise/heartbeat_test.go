//go:build linux

package supervise_test

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/supervise"
	"holdfast/internal/testkit"
)

// straced is a wrapper with whose calls strace tampers, in each of its threads, of which
// it has few.
func straced(t *testing.T, tampering string, s spec) *wrapper {
	t.Helper()
	if out, err := exec.Command("strace", "-qq", "-o", "/dev/null", "true").CombinedOutput(); err != nil {
		testkit.Skip(t, "strace cannot trace: "+err.Error()+string(out))
	}
	return through(t, `GOMAXPROCS=1 exec strace -f -qq -o /dev/null -e trace=wait4 -e inject=wait4:`+tampering+` "$@"`, s).start()
}

// The wait that follows the news of the end fails, and there is no other news.
func TestAnEndThatWasMissedIsSeenAfterwards(t *testing.T) {
	t.Parallel()
	w := straced(t, "error=EPERM:when=1..2", spec{Argv: sh("exit 7")})
	require.Equal(t, 7, w.wait())
	require.True(t, w.report().Quiescent)
}

// It takes as long as wait4 may fail.
func TestWhoCannotWaitSaysSo(t *testing.T) {
	t.Parallel()
	for range testkit.Rounds(0, 1) {
		w := straced(t, "error=EPERM", spec{Argv: []string{"true"}})
		require.Equal(t, strandedCode, w.wait())
		r := w.report()
		require.False(t, r.Quiescent)
		require.Equal(t, supervise.Unknown, r.Exit)
		require.Contains(t, r.Proof, "wait4 fails")
	}
}

// A lie is no proof of anything while the command is there.
func TestNobodyIsTakenForGoneWhoIsThere(t *testing.T) {
	t.Parallel()
	release := fifo(t)
	w := straced(t, "error=ECHILD:when=1..2", spec{Argv: sh("read x <$1; exit 7", release)})
	open(t, release)
	require.Equal(t, 7, w.wait())
	require.True(t, w.report().Quiescent)
}
