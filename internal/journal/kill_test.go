package journal_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/journal"
	"holdfast/internal/testkit"
)

// Killed at any system call of creating the file and of its first batches, what was
// said to be durable is there once, and everything that is there is whole (I11).
func TestKilledAtEverySystemCall(t *testing.T) {
	t.Parallel() // others wait meanwhile
	strace, err := exec.LookPath("strace")
	if err != nil {
		testkit.Skip(t, "strace is not installed")
	}
	calls := []string{"openat", "fchmod", "flock", "pwrite64", "fdatasync", "fsync", "ftruncate", "linkat", "unlinkat"}
	kills := 0
	for _, call := range calls {
		for n := 1; ; n += testkit.Rounds(6, 1) {
			if !killedAt(t, strace, call, n) {
				break
			}
			kills++
		}
	}
	t.Logf("killed at %d system calls", kills)
	require.Greater(t, kills, testkit.Rounds(8, 50))
}

// mostKills bounds how many calls of one kind are tried: several batches. An appender
// that got through all of them met no kill.
const (
	mostKills     = 16
	enoughBatches = 8
)

// killedAt kills an appender at the n-th system call of one kind, and reports whether
// there was a point in it.
func killedAt(t *testing.T, strace, call string, n int) bool {
	t.Helper()
	if n > mostKills {
		return false
	}
	j := newJournal(t)
	inject := fmt.Sprintf("inject=%s:signal=KILL:when=%d", call, n)
	cmd := exec.Command(strace, "-f", "-qq", "-o", os.DevNull, "-e", "trace="+call, "-e", inject, os.Args[0], j.Path(), "a", strconv.Itoa(enoughBatches))
	cmd.Env = append(os.Environ(), roleVariable+"=appender")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	durable := -1
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if v, err := strconv.Atoi(strings.TrimSpace(lines.Text())); err == nil {
			durable = v
		}
	}
	_ = cmd.Wait()
	requireWhole(t, j, durable)
	return durable < enoughBatches-1
}

// requireWhole expects the batches that were durable, perhaps one more, and a journal
// that goes on.
func requireWhole(t *testing.T, j *journal.Journal, durable int) {
	t.Helper()
	got := records(t, j, "a")
	require.Zero(t, len(got)%batch)
	require.GreaterOrEqual(t, len(got), (durable+1)*batch)
	require.Equal(t, chain("a", 0, uint64(len(got))), append([]journal.Record(nil), got...))
	_, err := j.Check(t.Context())
	require.NoError(t, err)
	appended(t, j, journal.Batch{Records: chain("a", 0, uint64(len(got)+1))})
	require.Equal(t, chain("a", 0, uint64(len(got)+1)), records(t, j, "a"))
	left, err := j.Unfinished(journal.Remove)
	require.NoError(t, err)
	require.LessOrEqual(t, len(left), 1)
}
