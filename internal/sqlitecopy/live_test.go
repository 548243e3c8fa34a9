package sqlitecopy

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/testkit"
)

// live are the habits of those that write while a copy is taken; on most days the first of every four is enough.
var live = []struct {
	name    string
	setup   string
	writers []string
	guards  []Guard
}{
	{"log, writer comes and goes", logged, []string{"reopen"}, []Guard{LogLock, Unmoved}},
	{"log, writer stays", logged, []string{"stay"}, []Guard{LogLock}},
	{"log, cut off all the time", logged, []string{"stay polite", "truncate"}, []Guard{LogLock}},
	{"log, one stays and one comes and goes", logged, []string{"stay polite", "reopen polite"}, []Guard{LogLock}},
	{"log, sqlite3 comes and goes", logged, []string{"sqlite3 reopen"}, []Guard{LogLock, Unmoved}},
	{"log, sqlite3 stays", logged, []string{"sqlite3 stay"}, []Guard{LogLock, Unmoved}},
	{"journal, writer stays", unlogged, []string{"stay"}, []Guard{SharedLock, Unmoved}},
	{"journal, sqlite3 stays", unlogged, []string{"sqlite3 stay"}, []Guard{SharedLock, Unmoved}},
	{"journal kept, two writers", unlogged, []string{"stay polite persist", "reopen polite persist"},
		[]Guard{SharedLock, Unmoved}},
	{"journal, writer comes and goes", unlogged, []string{"reopen"}, []Guard{SharedLock, Unmoved}},
}

const logged, unlogged = "PRAGMA journal_mode=wal", "PRAGMA journal_mode=delete"

func TestTakeBesideWriters(t *testing.T) { besideWriters(t, 2) }

func TestLongTakeBesideWriters(t *testing.T) {
	onlyLong(t)
	besideWriters(t, 40)
}

// besideWriters takes copies while money moves. A copy is right if none of it was lost or made; that the tally grows
// tells that the copies are of different moments, the last being no older than what was known to be done.
func besideWriters(t *testing.T, trials int) {
	for n, c := range live {
		if n%testkit.Rounds(4, 1) != 0 {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := place(t)
			build(t, path, bank(c.setup)...)
			var movers []func() movements
			for _, habits := range c.writers {
				movers = append(movers, startMover(t, path, habits))
			}
			stopMeddling := meddle(t, path)
			last := int64(0)
			for range trials {
				last = oneMoment(t, path, last, c.guards)
			}
			stopMeddling()
			for _, stop := range movers {
				did := stop()
				require.Zero(t, did.Busy, "a writer was refused")
				require.Positive(t, did.Commits)
				t.Logf("%+v, %d copies", did, trials)
			}
		})
	}
}

func oneMoment(t *testing.T, path string, last int64, guards []Guard) int64 {
	t.Helper()
	out, err := os.MkdirTemp(t.TempDir(), "")
	require.NoError(t, err)
	defer os.RemoveAll(out)
	taken, err := Take(context.Background(), path, out, Options{})
	require.NoError(t, err)
	require.Equal(t, Sound, taken.Integrity)
	require.Contains(t, guards, taken.Guard)
	e, err := openEngine(context.Background(), filepath.Join(out, "db.sqlite"), "&mode=ro&immutable=1")
	require.NoError(t, err)
	defer e.close()
	var rows, sum, moves int64
	answer, err := e.lines(t.Context(), "SELECT count(*)||' '||sum(balance)||' '||(SELECT moves FROM tally) FROM account")
	require.NoError(t, err)
	_, err = fmt.Sscan(answer[0], &rows, &sum, &moves)
	require.NoError(t, err)
	require.EqualValues(t, accounts, rows)
	require.EqualValues(t, total, sum, "a state between two commits, guarded by %s in %d tries", taken.Guard, taken.Tries)
	require.GreaterOrEqual(t, moves, last, "an older state than before")
	return moves
}

// meddle opens and closes the files of the source all the time, as a walk through the tree that they are in does.
func meddle(t *testing.T, path string) (stop func()) {
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(100 * time.Microsecond):
			}
			openAndClose(path)
		}
	})
	stop = sync.OnceFunc(func() { close(done); wg.Wait() })
	t.Cleanup(stop)
	return stop
}

// openAndClose would end all locks that belong to this process.
func openAndClose(path string) {
	for s := range sides {
		if f, err := os.Open(side(s).of(path)); err == nil {
			f.Close()
		}
	}
}

// unfinished are transactions in which somebody rests while a copy is taken.
var unfinished = []struct {
	name       string
	statements []string
	guard      Guard
	notes      int
}{
	{"journal, reserved", []string{"BEGIN IMMEDIATE", spilled}, Unmoved, 0},
	{"journal, spilled", []string{tight, "BEGIN IMMEDIATE", spilled, fill}, Unmoved, 0},
	{"journal, exclusive for ever", []string{"PRAGMA locking_mode=exclusive", "BEGIN EXCLUSIVE", "COMMIT"}, Unmoved, 1},
	{"log, reader", []string{"PRAGMA journal_mode=wal", "BEGIN", "SELECT * FROM account"}, LogLock, 0},
	{"log, writer", []string{"PRAGMA journal_mode=wal", tight, "BEGIN IMMEDIATE", spilled, fill}, LogLock, 0},
	{"log, exclusive for ever", []string{"PRAGMA locking_mode=exclusive", "PRAGMA journal_mode=wal", tight,
		"BEGIN IMMEDIATE", spilled, fill}, Unmoved, 0},
}

func TestTakeBesideAnUnfinishedTransaction(t *testing.T) {
	for _, c := range unfinished {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := place(t)
			build(t, path, bank()...)
			resting(t, path, c.statements...)
			taken, out := take(t, path)
			require.Equal(t, c.guard, taken.Guard)
			require.Len(t, taken.Notes, c.notes)
			holdsTheBank(t, out, accounts)
		})
	}
}

func TestTakeGivesUpOnWhatNeverRests(t *testing.T) {
	t.Parallel() // it mostly waits
	path := place(t)
	build(t, path, bank()...)
	holder := resting(t, path, "PRAGMA locking_mode=exclusive", "BEGIN EXCLUSIVE")
	c := capturing(t, path)
	c.patience = time.Millisecond
	c.raw.meter.tell = func(Progress) {
		now := time.Now()
		require.NoError(t, os.Chtimes(path, now, now))
	}
	_, err := c.run(context.Background())
	require.ErrorIs(t, err, ErrBusy)
	var e *Error
	require.ErrorAs(t, err, &e)
	require.Contains(t, e.Next, nameOf(holder.Process.Pid))
}
