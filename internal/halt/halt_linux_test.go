package halt_test

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

	"holdfast/internal/halt"
	"holdfast/internal/procid"
)

// long is a guard against hanging.
const long = time.Minute

func TestSignalReachesTheNamedProcess(t *testing.T) {
	w := start(t, "meek")
	require.NoError(t, halt.Signal(w.Process, syscall.SIGTERM))
	require.Equal(t, syscall.SIGTERM, w.end(t))
	require.ErrorIs(t, halt.Signal(w.Process, syscall.SIGTERM), halt.ErrEnded)
}

// A later process of the same number is another one.
func TestSignalNeverReachesARecycledNumber(t *testing.T) {
	w := start(t, "meek")
	earlier := w.Process
	earlier.StartTicks--
	require.ErrorIs(t, halt.Signal(earlier, syscall.SIGKILL), halt.ErrEnded)
	sent, left, err := halt.End(t.Context(), []halt.Process{earlier}, halt.Stage{Signal: syscall.SIGKILL, Grace: long})
	require.NoError(t, err)
	require.Empty(t, sent)
	require.Empty(t, left, "whoever was meant has ended")
	require.True(t, w.lives(t))
}

func TestNobodyIsSignalledByNumberAlone(t *testing.T) {
	w := start(t, "meek")
	unnamed := w.Process
	unnamed.StartTicks = 0
	require.ErrorIs(t, halt.Signal(unnamed, syscall.SIGKILL), halt.ErrUnnamed)
	sent, left, err := halt.End(t.Context(), []halt.Process{unnamed}, halt.Stage{Signal: syscall.SIGKILL})
	require.ErrorIs(t, err, halt.ErrUnnamed)
	require.Empty(t, sent)
	require.Equal(t, []halt.Process{unnamed}, left, "what could not be asked has not ended")
	require.True(t, w.lives(t))
}

// The number of a thread names no process, though the kernel may find something there.
func TestThreadsAreNobody(t *testing.T) {
	w := start(t, "meek")
	tasks, err := filepath.Glob(filepath.Join("/proc", strconv.Itoa(w.PID), "task", "*"))
	require.NoError(t, err)
	for _, task := range tasks {
		tid, err := strconv.Atoi(filepath.Base(task))
		require.NoError(t, err)
		if tid != w.PID {
			p := halt.Process{PID: tid, StartTicks: w.StartTicks}
			require.ErrorIs(t, halt.Signal(p, syscall.SIGKILL), halt.ErrEnded)
		}
	}
	require.True(t, w.lives(t))
}

func TestEndGoesNoFurtherThanItMust(t *testing.T) {
	meek, stubborn := start(t, "meek"), start(t, "stubborn")
	all := []halt.Process{meek.Process, stubborn.Process}
	sent, left, err := halt.End(t.Context(), all,
		halt.Stage{Signal: syscall.SIGINT, Grace: 300 * time.Millisecond},
		halt.Stage{Signal: syscall.SIGTERM, Grace: 50 * time.Millisecond},
		halt.Stage{Signal: syscall.SIGKILL, Grace: long})
	require.NoError(t, err)
	require.Empty(t, left)
	require.Contains(t, sent, halt.Sent{Process: meek.Process, Signal: syscall.SIGINT})
	require.NotContains(t, sent, halt.Sent{Process: meek.Process, Signal: syscall.SIGKILL})
	require.Contains(t, sent, halt.Sent{Process: stubborn.Process, Signal: syscall.SIGTERM})
	require.Contains(t, sent, halt.Sent{Process: stubborn.Process, Signal: syscall.SIGKILL})
}

// A zombie has ended, whoever has not waited for it.
// Who is killed ends as soon as the kernel gets to it, however little patience was asked for.
func TestWhoIsKilledIsWaitedFor(t *testing.T) {
	w := start(t, "meek")
	_, left, err := halt.End(t.Context(), []halt.Process{w.Process}, halt.Stage{Signal: syscall.SIGKILL})
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestZombiesHaveEnded(t *testing.T) {
	w := start(t, "stubborn")
	_, left, err := halt.End(t.Context(), []halt.Process{w.Process}, halt.Stage{Signal: syscall.SIGKILL, Grace: long})
	require.NoError(t, err)
	require.Empty(t, left)
	require.ErrorIs(t, halt.Signal(w.Process, syscall.SIGKILL), halt.ErrEnded)
}

func TestAwaitNamesWhoIsLeft(t *testing.T) {
	w := start(t, "meek")
	left, err := halt.Await(t.Context(), []halt.Process{w.Process}, 0)
	require.NoError(t, err)
	require.Equal(t, []halt.Process{w.Process}, left)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	left, err = halt.Await(ended, []halt.Process{w.Process}, long)
	require.NoError(t, err)
	require.Len(t, left, 1, "nobody waits for the answer")
	sent, _, err := halt.End(ended, []halt.Process{w.Process}, halt.Stage{Signal: syscall.SIGKILL, Grace: long})
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, sent)
	require.True(t, w.lives(t))
}

// The number of an ended process is given to another one, in a pid namespace where that can be brought about.
func TestNumberThatWasGivenAgain(t *testing.T) {
	const script = `sleep 300 & first=$!
ticks() { sed 's/.*) //' /proc/$1/stat | cut -d' ' -f20; }
old=$(ticks $first); kill -9 $first; wait $first 2>/dev/null; sleep 0.05
echo $((first - 1)) > /proc/sys/kernel/ns_last_pid || exit 9
sleep 300 & second=$!
[ $first = $second ] || exit 9
HOLDFAST_HALT_TEST_ROLE=striker "$0" $first $old; got=$?
kill -0 $second || exit 8
kill -9 $second; exit $got`
	if _, err := exec.LookPath("unshare"); err != nil {
		skip(t, err.Error())
	}
	out, err := exec.Command("unshare", "--pid", "--fork", "--mount-proc", "sh", "-c", script, os.Args[0]).CombinedOutput()
	if err != nil && strings.Contains(string(out), "unshare failed") {
		skip(t, string(out))
	}
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "has ended")
}

// strike tries to kill a process by its name of old.
func strike(pid, ticks string) {
	p := procid.Process{}
	p.PID, _ = strconv.Atoi(pid)
	p.StartTicks, _ = strconv.ParseUint(ticks, 10, 64)
	os.Stdout.WriteString(halt.Signal(p, syscall.SIGKILL).Error())
}
