package evidence_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/admin/evidence"
	"holdfast/internal/sqlitecopy"
	"holdfast/internal/testkit"
	"holdfast/lease"
	"holdfast/lease/dirstore"
	"holdfast/ownership"
)

// A snapshot has everything, touched nothing, and gives the repository back.
func TestSnapshot(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sources := func() []map[string]string {
		return []map[string]string{scene(t, w.worktree), scene(t, filepath.Join(w.dir, "store")), scene(t, w.transcript), scene(t, w.tracker)}
	}
	before := sources()
	taken := w.taken(evidence.Options{IncludeIgnored: true})
	require.Equal(t, before, sources(), "a source was touched")
	require.Empty(t, w.leftovers())

	names := files(t, taken.Dir)
	require.Len(t, names, taken.Files+1)
	require.Subset(t, names, []string{
		"README.txt", "snapshot.json", "record.json", "liveness.json", "processes.txt", "transcript.tail", "MANIFEST.sha256",
		"git/history.bundle", "git/operation.tar.zst", "git/index", "git/worktree.jsonl", "git/worktree.tar.zst", "git/untracked.tar.zst",
		"git/ignored.tar.zst", "git/config", "git/config.safe", "git/staged.patch", "git/unstaged.patch", "git/status.txt", "git/log.txt",
		"tracker/raw/db", "tracker/db.sqlite", "tracker/integrity.txt",
	})
	require.Empty(t, differences(t, taken.Dir))
	require.Equal(t, string(w.inspect().Stored.Bytes), read(t, filepath.Join(taken.Dir, "record.json")))
	require.Equal(t, "TASK_DONE\n", read(t, filepath.Join(taken.Dir, "transcript.tail")))
	require.Equal(t, taken.Manifest+"  MANIFEST.sha256\n", shell(t, taken.Dir, "sha256sum MANIFEST.sha256"))
	requireModes(t, taken.Dir)

	s := told(t, taken.Dir)
	require.Equal(t, sqlitecopy.Sound, s.Tracker.Integrity)
	require.Equal(t, ownership.StateIdle, s.State)
	require.Equal(t, w.inspect().Revision, s.Revision)

	restored, err := evidence.Restore(context.Background(), taken.Dir, w.path("new"), evidence.RestoreOptions{})
	require.NoError(t, err)
	require.Equal(t, taken.Manifest, restored.Manifest)
	sameWork(t, w.worktree, w.path("new"))
}

// told is what snapshot.json says.
func told(t testing.TB, dir string) (s evidence.Snapshot) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(read(t, filepath.Join(dir, "snapshot.json"))), &s))
	return s
}

// sameWork compares what git and the files say of two working trees.
func sameWork(t testing.TB, a, b string) {
	t.Helper()
	const look = `cd "$1"; git status --porcelain=v2; git stash list --format=%H; git log --all --format=%H; git ls-files -s; cat one untracked x.log; readlink link; test -d empty; test -x three`
	require.Equal(t, shell(t, a, look, a), shell(t, b, look, b))
}

func requireModes(t testing.TB, dir string) {
	t.Helper()
	for name, what := range scene(t, dir) {
		want := "-rw-------"
		if what[0] == 'd' {
			want = "drwx------"
		}
		require.Equal(t, want, what[:len(want)], name)
	}
}

// A session that names nothing still has a record, and what is known of its owner.
func TestSessionThatNamesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	empty := ""
	w.own(ownership.Facts{Worktree: &empty, Tracker: &empty, Transcript: &empty})
	taken := w.taken(evidence.Options{})
	require.ElementsMatch(t, []string{"README.txt", "snapshot.json", "record.json", "liveness.json", "processes.txt", "MANIFEST.sha256"}, files(t, taken.Dir))
	_, err := evidence.Restore(context.Background(), taken.Dir, w.path("new"), evidence.RestoreOptions{})
	require.ErrorIs(t, err, evidence.ErrNothing)
	requireNext(t, err)
}

// Bytes that are no record are kept as they are (I1), also where there are too many.
func TestUnreadableRecord(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	record := filepath.Join(w.dir, "store", "sessions", theKey.Digest().String(), "record.json")
	for _, garbage := range []string{"{\"key\": \"web/42\", \x00\xff", "", strings.Repeat("garbage\n", 64<<10)} {
		require.NoError(t, os.Remove(record))
		require.NoError(t, os.WriteFile(record, []byte(garbage), 0o600))
		require.Equal(t, ownership.StateUnreadable, w.inspect().State)
		taken := w.taken(evidence.Options{Transcript: w.transcript})
		require.Equal(t, garbage, read(t, filepath.Join(taken.Dir, "record.json")))
		require.Nil(t, taken.Snapshot.Tracker)
		require.NoError(t, os.RemoveAll(taken.Dir))
	}
	require.NoError(t, os.Remove(record))
	require.NoError(t, os.Symlink("/etc/passwd", record))
	taken := w.taken(evidence.Options{Transcript: w.transcript})
	require.NoFileExists(t, filepath.Join(taken.Dir, "record.json"))
	require.Equal(t, "record.json", taken.Snapshot.OutOfScope[0].What)
}

func TestVacantSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s, err := dirstore.Open(w.path("other"), dirstore.Options{})
	require.NoError(t, err)
	i, err := lease.Inspect(context.Background(), s, theKey.Digest())
	require.NoError(t, err)
	_, err = evidence.Take(context.Background(), s, i, evidence.Options{Out: w.path("snapshot")})
	require.ErrorIs(t, err, evidence.ErrNothing)
	requireNext(t, err)
	w.nothingLeft()
	taken, err := evidence.Take(context.Background(), s, i, evidence.Options{Out: w.path("snapshot"), Transcript: w.transcript})
	require.NoError(t, err)
	require.NoFileExists(t, filepath.Join(taken.Dir, "record.json"))
	require.NoDirExists(t, w.path("other"), "taking a snapshot made a store (I8)")
}

// A held session is kept too; who holds it and what it started stands in the evidence.
func TestHeldSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	l, err := lease.Acquire(context.Background(), w.store, theKey, lease.Owner{})
	require.NoError(t, err)
	defer l.Release(context.Background())
	i := w.inspect()
	require.Equal(t, ownership.StateHeld, i.State)
	i.Liveness.Holders, err = w.store.Holders(context.Background(), theKey.Digest(), l.Generation(), ownership.LifeLock)
	require.NoError(t, err)
	child := exec.Command("sleep", "300")
	child.Env = append(os.Environ(), "SESSION_OPERATION_ID="+i.Record.Owner.OperationID.String())
	require.NoError(t, child.Start())
	defer func() { _ = child.Process.Kill(); _ = child.Wait() }()
	taken, err := evidence.Take(context.Background(), w.store, i, evidence.Options{Out: w.path("snapshot")})
	require.NoError(t, err)
	holders, started, _ := strings.Cut(read(t, filepath.Join(taken.Dir, "processes.txt")), "SESSION_OPERATION_ID")
	require.Contains(t, holders, fmt.Sprintf("pid %d, ", os.Getpid()))
	require.Contains(t, started, fmt.Sprintf("pid %d, ", child.Process.Pid))
	require.Contains(t, read(t, filepath.Join(taken.Dir, "liveness.json")), `"alive"`)
}

// The terminal of a session is kept as text.
func TestScreen(t *testing.T) {
	w := newWorld(t)
	needTools(t, "tmux")
	sockets, err := os.MkdirTemp("/tmp", "hf") // socket paths are short
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(sockets) })
	t.Setenv("TMUX_TMPDIR", sockets)
	t.Setenv("TMUX", "")
	runtime := ownership.Runtime{Kind: "tmux", Handle: "web.42"}
	shell(t, w.dir, `tmux -f /dev/null new-session -d -s web.42 "echo 'shall I go on?'; sleep 300"`)
	t.Cleanup(func() { shell(t, w.dir, "tmux kill-server") })
	l, err := lease.Acquire(t.Context(), w.store, theKey, lease.Owner{Facts: ownership.Facts{Runtime: &runtime}})
	require.NoError(t, err)
	defer l.Abandon(context.Background(), "")
	require.Eventually(t, func() bool {
		taken := w.taken(evidence.Options{})
		defer os.RemoveAll(taken.Dir)
		return strings.Contains(read(t, filepath.Join(taken.Dir, "screen.txt")), "shall I go on?")
	}, 30*time.Second, 50*time.Millisecond)
}

// Whatever comes to the name while the snapshot is being built is kept.
func TestNameTakenMeanwhile(t *testing.T) {
	t.Parallel()
	for name, take := range map[string]func(path string) error{
		"file":      func(path string) error { return os.WriteFile(path, []byte("theirs"), 0o600) },
		"link":      func(path string) error { return os.Symlink("elsewhere", path) },
		"directory": func(path string) error { return os.MkdirAll(filepath.Join(path, "theirs"), 0o700) },
	} {
		w := newWorld(t)
		out := w.path("snapshot")
		came := false
		_, err := w.take(evidence.Options{Out: out, Transcript: w.transcript, Progress: func(evidence.Progress) {
			if !came {
				came = true
				require.NoError(t, take(out), name)
			}
		}})
		require.ErrorIs(t, err, evidence.ErrTarget, name)
		requireNext(t, err)
		_, err = os.Lstat(out)
		require.NoError(t, err, name)
		require.Empty(t, w.leftovers(), "something of ours stayed")
	}
}

// A name that nobody chose gives way to another snapshot of the same millisecond.
func TestTwoSnapshotsOfOneMillisecond(t *testing.T) {
	t.Parallel()
	for name, take := range map[string]func(path string) error{
		"directory": func(path string) error { return os.MkdirAll(filepath.Join(path, "theirs"), 0o700) },
		"file":      func(path string) error { return os.WriteFile(path, []byte("theirs"), 0o600) },
	} {
		w := newWorld(t)
		below, first := w.path("below"), ""
		taken, err := evidence.Take(t.Context(), w.store, w.inspect(), evidence.Options{Below: below, Progress: func(evidence.Progress) {
			if first == "" {
				if first = nameToBe(t, below); first != "" {
					require.NoError(t, take(first), name)
				}
			}
		}})
		require.NoError(t, err, name)
		require.Equal(t, below, filepath.Dir(taken.Dir))
		require.NotEqual(t, first, taken.Dir)
		require.Empty(t, differences(t, taken.Dir), name)
		require.Empty(t, w.leftovers())
		found, ok := evidence.Find(taken.Manifest, w.inspect().KeyDigest, "", below)
		require.True(t, ok)
		require.Equal(t, taken.Dir, found)
	}
}

// nameToBe is the path that the snapshot will have that is being built below a directory; "" before it is.
func nameToBe(t testing.TB, below string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(below, ".*"+evidence.Marker+"*"))
	require.NoError(t, err)
	if len(names) == 0 {
		return ""
	}
	name, _, _ := strings.Cut(filepath.Base(names[0]), evidence.Marker)
	return filepath.Join(below, strings.TrimPrefix(name, "."))
}

// An end of the context leaves nothing behind.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for n, at := range stepsOf(t, w) {
		if n%testkit.Rounds(4, 1) != 0 {
			continue
		}
		ctx, cancel := context.WithCancelCause(context.Background())
		_, err := evidence.Take(ctx, w.store, w.inspect(), evidence.Options{Out: w.path("snapshot"), Progress: func(p evidence.Progress) {
			if p.Step == at {
				cancel(os.ErrDeadlineExceeded)
			}
		}})
		if err == nil {
			require.Empty(t, differences(t, w.path("snapshot")))
			require.NoError(t, os.RemoveAll(w.path("snapshot")))
			continue
		}
		require.ErrorIs(t, err, os.ErrDeadlineExceeded, at)
		w.nothingLeft()
	}
}

// stepsOf takes a snapshot and returns its steps.
func stepsOf(t testing.TB, w *world) (steps []string) {
	t.Helper()
	taken := w.taken(evidence.Options{Out: w.path("steps"), Progress: func(p evidence.Progress) {
		if len(steps) == 0 || steps[len(steps)-1] != p.Step {
			steps = append(steps, p.Step)
		}
	}})
	require.NoError(t, os.RemoveAll(taken.Dir))
	return steps
}

func read(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(b)
}
