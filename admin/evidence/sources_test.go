package evidence_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"holdfast/admin/evidence"
	"holdfast/internal/gitwork"
	"holdfast/internal/sqlitecopy"
	"holdfast/ownership"
)

// What moves while it is read is named; the snapshot is kept, and verifies.
func TestMoving(t *testing.T) {
	t.Parallel()
	for name, move := range map[string]func(w *world) error{
		"agent.log":   func(w *world) error { return os.WriteFile(w.transcript, []byte("more"), 0o600) },
		"tracker.db":  func(w *world) error { return os.Chmod(w.tracker, 0o640) },
		"record.json": func(w *world) error { w.own(ownership.Facts{}); return nil },
	} {
		w := newWorld(t)
		moved := false
		taken, err := w.take(evidence.Options{Progress: func(p evidence.Progress) {
			if p.Step == "copying the tracker" && !moved && p.Done > 0 {
				moved = true
				require.NoError(t, move(w))
			}
		}})
		require.NoError(t, err)
		require.True(t, moved)
		require.NotEmpty(t, taken.Findings, name)
		require.Equal(t, name, filepath.Base(taken.Snapshot.Moved[0].Path))
		require.False(t, taken.Snapshot.Untouched())
		require.Equal(t, taken.Snapshot.Moved, told(t, taken.Dir).Moved, "snapshot.json does not say so")
		require.Empty(t, differences(t, taken.Dir))
	}
}

func TestWorktreeMoves(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	taken, err := w.take(evidence.Options{Progress: func(p evidence.Progress) {
		if p.Step == "packing objects" {
			require.NoError(t, os.WriteFile(filepath.Join(w.worktree, "late"), nil, 0o600))
		}
	}})
	require.NoError(t, err)
	require.Contains(t, taken.Snapshot.Moved, evidence.Moved{Path: filepath.Join(w.worktree, "late"), What: "new"})
	require.NotEmpty(t, taken.Findings)
	require.Empty(t, differences(t, taken.Dir))
}

// A transcript that is no plain file is not opened. Where only the record names it, the rest is kept.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, make := range map[string]func(path string) error{
		"link":      func(path string) error { return os.Symlink(w.path("agent.log"), path) },
		"fifo":      func(path string) error { return unix.Mkfifo(path, 0o600) },
		"directory": func(path string) error { return os.Mkdir(path, 0o700) },
		"missing":   func(string) error { return nil },
	} {
		path := w.path("transcript-" + name)
		require.NoError(t, make(path))
		_, err := w.take(evidence.Options{Transcript: path})
		require.ErrorIs(t, err, evidence.ErrSource, name)
		requireNext(t, err)
		w.nothingLeft()

		w.own(ownership.Facts{Transcript: &path})
		taken := w.taken(evidence.Options{})
		require.Nil(t, taken.Snapshot.Transcript, name)
		require.NoFileExists(t, filepath.Join(taken.Dir, "transcript.tail"))
		require.Equal(t, path, taken.Snapshot.OutOfScope[0].Example)
		require.NoError(t, os.RemoveAll(taken.Dir))
	}
}

// Of a long transcript the end is kept, and a name that looks like an option is a name.
func TestLongTranscript(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := w.path("--help")
	content := append(bytes.Repeat([]byte("x"), evidence.TailSize), "end"...)
	require.NoError(t, os.WriteFile(path, content, 0o600))
	taken := w.taken(evidence.Options{Transcript: path})
	require.Equal(t, string(content[3:]), read(t, filepath.Join(taken.Dir, "transcript.tail")))
	require.EqualValues(t, len(content), taken.Snapshot.Transcript.Size)
}

func TestSourcesThatAreNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	plain := w.path("plain")
	require.NoError(t, os.Mkdir(plain, 0o700))
	for _, c := range []struct {
		options evidence.Options
		kind    error
	}{
		{evidence.Options{Worktree: plain}, gitwork.ErrNotRepository},
		{evidence.Options{Worktree: w.path("--absent")}, gitwork.ErrNotRepository},
		{evidence.Options{Tracker: w.path("absent")}, sqlitecopy.ErrMissing},
		{evidence.Options{Tracker: plain}, sqlitecopy.ErrNotRegular},
	} {
		_, err := w.take(c.options)
		require.ErrorIs(t, err, evidence.ErrSource)
		require.ErrorIs(t, err, c.kind)
		requireNext(t, err)
		w.nothingLeft()

		c.options.Accept = evidence.AcceptMissing
		taken := w.taken(c.options)
		require.NotEmpty(t, taken.Snapshot.OutOfScope)
		require.NoError(t, os.RemoveAll(taken.Dir))
	}
}

// What SQLite does not know is kept as it is, and is a finding unless that was accepted.
func TestTrackerThatIsNoDatabase(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	garbage := bytes.Repeat([]byte("no database "), 500)
	require.NoError(t, os.WriteFile(w.path("garbage"), garbage, 0o600))
	taken, err := w.take(evidence.Options{Tracker: w.path("garbage")})
	require.NoError(t, err)
	require.Len(t, taken.Findings, 1)
	require.Equal(t, string(garbage), read(t, filepath.Join(taken.Dir, "tracker", "raw", "db")))
	w.taken(evidence.Options{Out: w.path("accepted"), Tracker: w.path("garbage"), Accept: evidence.AcceptNotDatabase})
}

// A tracker whose integrity check fails is kept as it is, and is a finding unless that was accepted.
func TestDamagedTracker(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	shell(t, w.dir, `sqlite3 damaged "CREATE TABLE a(b); INSERT INTO a VALUES(zeroblob(9000)),(zeroblob(9000))"; truncate -s 12288 damaged; cp damaged before`)
	taken, err := w.take(evidence.Options{Tracker: w.path("damaged")})
	require.NoError(t, err)
	require.Len(t, taken.Findings, 1)
	require.Contains(t, taken.Findings[0], "damaged")
	require.Equal(t, read(t, w.path("before")), read(t, filepath.Join(taken.Dir, "tracker", "raw", "db")))
	require.Empty(t, differences(t, taken.Dir))
	w.taken(evidence.Options{Out: w.path("accepted"), Tracker: w.path("damaged"), Accept: evidence.AcceptDamage})
}

func TestTargets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	shell(t, w.dir, `mkdir full empty; touch full/x file; ln -s tree/.git way; ln -s empty elsewhere`)
	for _, out := range []string{
		"full", "file", "elsewhere", "absent/snapshot", "tree", "tree/snapshot", "tree/.git/snapshot", "way/snapshot", "store", "store/snapshot", "store/sessions/x",
	} {
		before := scene(t, w.dir)
		_, err := w.take(evidence.Options{Out: w.path(out)})
		require.ErrorIs(t, err, evidence.ErrTarget, out)
		requireNext(t, err)
		require.Equal(t, before, scene(t, w.dir), out)
	}
	w.taken(evidence.Options{Out: w.path("empty")})
	require.Empty(t, differences(t, w.path("empty")))
}

func TestDefaultPlace(t *testing.T) {
	w := newWorld(t)
	t.Setenv("XDG_STATE_HOME", w.path("state"))
	take := func() (*evidence.Taken, error) {
		return evidence.Take(t.Context(), w.store, w.inspect(), evidence.Options{})
	}
	taken, err := take()
	require.NoError(t, err)
	parent := w.path("state/holdfast-evidence")
	require.Equal(t, parent, filepath.Dir(taken.Dir))
	requireModes(t, parent)
	t.Setenv("XDG_STATE_HOME", filepath.Join(w.worktree, "state"))
	_, err = take()
	require.ErrorIs(t, err, evidence.ErrTarget)
	require.NoDirExists(t, filepath.Join(w.worktree, "state"), "a directory was made in the source")
}
