package sqlitecopy

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

var refused = []struct {
	name string
	make func(t *testing.T, path string)
	want error
}{
	{"missing", func(*testing.T, string) {}, ErrMissing},
	{"directory", func(t *testing.T, p string) { require.NoError(t, os.Mkdir(p, 0o700)) }, ErrNotRegular},
	{"FIFO", func(t *testing.T, p string) { require.NoError(t, unix.Mkfifo(p, 0o600)) }, ErrNotRegular},
	{"link", func(t *testing.T, p string) {
		build(t, p+".real", "CREATE TABLE t(a)")
		require.NoError(t, os.Symlink(p+".real", p))
	}, ErrNotRegular},
	{"dangling link", func(t *testing.T, p string) { require.NoError(t, os.Symlink("nowhere", p)) }, ErrNotRegular},
	{"socket", func(t *testing.T, p string) { require.NoError(t, syscall.Mknod(p, syscall.S_IFSOCK|0o600, 0)) }, ErrNotRegular},
	{"log is a FIFO", func(t *testing.T, p string) {
		build(t, p, "CREATE TABLE t(a)")
		require.NoError(t, unix.Mkfifo(wal.of(p), 0o600))
	}, ErrNotRegular},
	{"journal is a link", func(t *testing.T, p string) {
		build(t, p, "CREATE TABLE t(a)")
		require.NoError(t, os.Symlink("/etc/passwd", journal.of(p)))
	}, ErrNotRegular},
	{"index of the log is a directory", func(t *testing.T, p string) {
		build(t, p, "CREATE TABLE t(a)")
		require.NoError(t, os.Mkdir(shm.of(p), 0o700))
	}, ErrNotRegular},
}

func TestTakeRefuses(t *testing.T) {
	for _, c := range refused {
		t.Run(c.name, func(t *testing.T) {
			path := place(t)
			c.make(t, path)
			refuses(t, path, c.want)
		})
	}
	t.Run("device", func(t *testing.T) { refuses(t, "/dev/null", ErrNotRegular) })
	t.Run("below a file", func(t *testing.T) {
		path := place(t)
		require.NoError(t, os.WriteFile(path, nil, 0o600))
		refuses(t, filepath.Join(path, "db"), ErrMissing)
	})
	t.Run("no name at all", func(t *testing.T) { refuses(t, "a\x00b", ErrUnreadable) })
}

// refuses proves that a source is refused with a next step, at once, and nothing is made of it.
func refuses(t *testing.T, path string, want error) {
	t.Helper()
	out := t.TempDir()
	done := make(chan error, 1)
	go func() { _, err := Take(context.Background(), path, out, Options{}); done <- err }()
	select {
	case err := <-done:
		require.ErrorIs(t, err, want)
		var e *Error
		require.ErrorAs(t, err, &e)
		require.NotEmpty(t, e.Next)
	case <-time.After(hangGuard):
		require.Fail(t, "it waits for something")
	}
	entries, err := os.ReadDir(out)
	require.NoError(t, err)
	require.Empty(t, entries)
	_, err = Size(path)
	require.ErrorIs(t, err, want)
}

func TestTakeRefusesATargetInUse(t *testing.T) {
	t.Parallel()
	path := place(t)
	build(t, path, "CREATE TABLE t(a)")
	for _, name := range []string{rawName, normalName, integrityName, workName} {
		out := t.TempDir()
		require.NoError(t, os.Symlink("nowhere", filepath.Join(out, name)))
		_, err := Take(context.Background(), path, out, Options{})
		require.ErrorIs(t, err, ErrTargetInUse)
	}
	_, err := Take(context.Background(), path, filepath.Join(t.TempDir(), "absent"), Options{})
	require.ErrorIs(t, err, ErrTarget)
}

// An SQLite in this process would lose its locks when we close a descriptor of the database.
func TestTakeRefusesWhatThisProcessWrites(t *testing.T) {
	path := place(t)
	build(t, path, bank()...)
	e, err := connect(path)
	require.NoError(t, err)
	require.NoError(t, execute(e, []string{"BEGIN IMMEDIATE"}))
	refusesOpen(t, path)
	require.NoError(t, e.close())
	take(t, path)
}

func refusesOpen(t *testing.T, path string) {
	t.Helper()
	_, err := Take(context.Background(), path, t.TempDir(), Options{})
	require.ErrorIs(t, err, ErrOpenHere)
	second := program("run", path, "PRAGMA busy_timeout=0", "BEGIN IMMEDIATE")
	second.Stderr = nil
	require.Error(t, second.Run(), "the lock of this process is gone")
}

func TestTakeEndsWhenItIsCancelled(t *testing.T) {
	t.Parallel()
	path := place(t)
	build(t, path, bank()...)
	stop := errors.New("enough")
	steps := map[string]bool{}
	observe := func(p Progress) { steps[p.Step] = true }
	_, err := Take(context.Background(), path, t.TempDir(), Options{Progress: observe})
	require.NoError(t, err)
	require.Len(t, steps, 5)
	before := scene(t, path)
	for step := range steps {
		ctx, cancel := context.WithCancelCause(context.Background())
		_, err := Take(ctx, path, t.TempDir(), Options{Progress: func(p Progress) {
			if p.Step == step {
				cancel(stop)
			}
		}})
		require.ErrorIs(t, err, stop, step)
	}
	require.Equal(t, before, scene(t, path))
}

func TestProgressOnlyGrowsAndEnds(t *testing.T) {
	t.Parallel()
	path := place(t)
	build(t, path, bank()...)
	var last Progress
	_, err := Take(context.Background(), path, t.TempDir(), Options{Progress: func(p Progress) {
		require.GreaterOrEqual(t, p.Done, last.Done)
		require.LessOrEqual(t, p.Done, p.Total)
		last = p
	}})
	require.NoError(t, err)
	require.Positive(t, last.Total)
	require.Equal(t, last.Total, last.Done)
}
