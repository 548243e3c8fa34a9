package sqlitecopy

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// capturing is a capture whose pieces can be tried one by one.
func capturing(t *testing.T, path string) *capture {
	raw := newRawCopy(t.TempDir(), &meter{})
	t.Cleanup(raw.close)
	return newCapture(path, raw)
}

func opened(t *testing.T, path string) *os.File {
	t.Helper()
	l, err := lookAt(path)
	require.NoError(t, err)
	f, err := openSource(path, l[db])
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

// A program that wants to commit waits while we read, and gets its turn.
func TestACommitWaitsForTheLock(t *testing.T) {
	path := place(t)
	build(t, path, wideBank(unlogged)...)
	f, c := opened(t, path), capturing(t, path)
	var commit *exec.Cmd
	c.raw.meter.tell = func(Progress) {
		if commit == nil {
			commit = program("run", path, across)
			require.NoError(t, commit.Start())
			waitFor(t, func() bool { _, held := pending.holder(f); return held })
		}
	}
	guard, err := c.guarded(context.Background(), f)
	require.NoError(t, err)
	require.Equal(t, SharedLock, guard)
	require.NoError(t, commit.Wait())
}

func waitFor(t *testing.T, seen func() bool) {
	t.Helper()
	require.Eventually(t, seen, hangGuard, pollEvery)
}

// It waits 5 s, so that we must let go in time, finished or not.
func TestALockThatCommitsWaitForEnds(t *testing.T) {
	path := place(t)
	build(t, path, bank()...)
	f, c := opened(t, path), capturing(t, path)
	c.longestUse = time.Nanosecond
	require.NoError(t, lockShared(f))
	require.ErrorIs(t, c.betweenCommits(context.Background(), f), errAgain)
	build(t, path, "PRAGMA busy_timeout=0", spilled)
}

func TestAWriterWithoutLocksIsNoticed(t *testing.T) {
	for name, setup := range map[string]string{"journal": unlogged, "log": logged} {
		path := place(t)
		build(t, path, wideBank(setup)...)
		crash(t, path, within)
		f, c := opened(t, path), capturing(t, path)
		c.raw.meter.tell = func(Progress) {
			w, err := os.OpenFile(path, os.O_WRONLY, 0)
			require.NoError(t, err)
			_, err = w.WriteAt([]byte{1}, 3*chunk/2)
			require.NoError(t, errors.Join(err, w.Close()))
		}
		_, err := c.guarded(context.Background(), f)
		require.ErrorIs(t, err, errAgain, name)
	}
}

// What an earlier try copied and is not there any more must not stay.
func TestARawCopyShrinks(t *testing.T) {
	path := place(t)
	build(t, path, "CREATE TABLE t(a)")
	long, short := opened(t, path), opened(t, written(t, "short"))
	raw := newRawCopy(t.TempDir(), &meter{})
	defer raw.close()
	require.NoError(t, raw.take(context.Background(), db, long))
	require.NoError(t, raw.take(context.Background(), wal, long))
	require.NoError(t, raw.take(context.Background(), db, short))
	require.NoError(t, raw.take(context.Background(), wal, nil))
	b, err := os.ReadFile(raw.path(db))
	require.NoError(t, err)
	require.Equal(t, "short", string(b))
	require.NoFileExists(t, raw.path(wal))
}

func written(t *testing.T, content string) string {
	path := place(t)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func TestSettled(t *testing.T) {
	now := time.Unix(1000, 0)
	at := func(d time.Duration) look { return look{db: {ino: 1, ctime: now.Add(d).UnixNano()}} }
	for d, want := range map[time.Duration]time.Duration{
		-5*time.Second + 1:       0,
		-30*time.Millisecond + 1: tick - 30*time.Millisecond + 1,
		time.Hour + 1:            tick, // a clock that was set back
		-time.Second:             coarseTick - time.Second,
	} {
		require.Equal(t, want, at(d).settled(now), d)
	}
}
