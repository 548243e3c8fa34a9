//go:build linux

package supervise_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/testkit"
)

// withStranger starts the wrapper as the parent of a process that it never started.
const withStranger = `sh -c 'echo $$ >stranger; exec sleep 300' & exec "$@"`

func TestStrangersAreNotWaitedFor(t *testing.T) {
	w := through(t, withStranger, spec{Fresh: true, Argv: sh("exit 6")})
	w.cmd.Dir = w.dir
	require.Equal(t, 6, w.start().wait())
	stranger := pidIn(t, filepath.Join(w.dir, "stranger"))
	require.True(t, exists(stranger))
	r := w.report()
	require.True(t, r.Quiescent)
	require.NotEqual(t, w.cmd.Process.Pid, r.PID, "the fresh child reports")
}

func TestWithoutStrangersThereIsNoFreshChild(t *testing.T) {
	w := run(t, spec{Fresh: true, Argv: []string{"true"}})
	require.Zero(t, w.wait())
	require.Equal(t, w.cmd.Process.Pid, w.report().PID)
}

func TestFreshChildGetsSignalsAndDescriptors(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM} {
		pid := filepath.Join(t.TempDir(), "pid")
		w := through(t, "exec 7</dev/zero; "+withStranger,
			spec{Fresh: true, Argv: sh("head -c1 <&7 | wc -c; echo $$ >$1; exec sleep 300", pid)})
		w.cmd.Dir = w.dir
		w.start()
		c := pidIn(t, pid)
		pidIn(t, filepath.Join(w.dir, "stranger"))
		w.signal(sig)
		require.Equal(t, 128+int(sig), w.wait())
		require.False(t, exists(c))
		require.Equal(t, sig, w.report().Ended)
		require.Equal(t, "1\n", w.stdout())
	}
}

func TestMarkerDoesNotReachTheCommand(t *testing.T) {
	w := through(t, withStranger, spec{Fresh: true, Argv: []string{"env"}})
	w.cmd.Dir = w.dir
	require.Zero(t, w.start().wait())
	pidIn(t, filepath.Join(w.dir, "stranger"))
	require.NotContains(t, w.stdout(), "FRESH_CHILD")
	require.Contains(t, w.stdout(), "PATH=")
}

func TestPid1(t *testing.T) {
	if out, err := exec.Command("unshare", "--pid", "--fork", "--mount-proc", "true").CombinedOutput(); err != nil {
		testkit.Skip(t, "no pid namespaces: "+string(out))
	}
	for _, mount := range []string{"--mount-proc", ""} {
		script := strings.Join([]string{"exec unshare --pid --fork", mount, `"$@"`}, " ")
		// The orphan of an orphan ends first, to be reaped by pid 1 or the fresh child.
		w := through(t, script, spec{Fresh: true, Argv: sh("sh -c '(exit 0) & exec true' & wait; exit 6")})
		require.Equal(t, 6, w.start().wait())
		r := w.report()
		require.True(t, r.Quiescent)
		require.NotEqual(t, 1, r.PID)

		w = through(t, script, spec{Fresh: true, Argv: sh("kill -9 $$")})
		require.Equal(t, 137, w.start().wait())
	}
}
