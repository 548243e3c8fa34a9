package journal_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/journal"
	"holdfast/ownership"
)

// A journal that nobody wrote to is empty, and stays that way (I8).
func TestReadingCreatesNothing(t *testing.T) {
	j := newJournal(t)
	require.Empty(t, records(t, j, "a"))
	highest, err := j.Highest(t.Context(), digestOf("a"))
	require.NoError(t, err)
	require.Zero(t, highest)
	_, err = j.Check(t.Context())
	require.NoError(t, err)
	require.False(t, j.Exists())
	entries, err := os.ReadDir(filepath.Dir(j.Path()))
	require.NoError(t, err)
	require.Empty(t, entries)
}

// Every record comes back in the order of its chain, of its session alone (I11).
func TestRecordsComeBackInOrder(t *testing.T) {
	j := newJournal(t)
	want := chain("b", 0, 1500) // more than a reader takes at once
	for _, other := range []string{"a", "c"} {
		appended(t, j, journal.Batch{Records: chain(other, 0, 3)})
	}
	for at := 0; at < len(want); at += 100 {
		appended(t, j, journal.Batch{Records: want[at : at+100]})
	}
	require.Equal(t, want, records(t, j, "b"))
	require.Empty(t, records(t, j, "nobody"))
	highest, err := j.Highest(t.Context(), digestOf("b"))
	require.NoError(t, err)
	require.EqualValues(t, 750, highest)
	census, err := j.Check(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1506, census.Records)
	require.Equal(t, 3, census.Sessions)
	require.Len(t, census.Highest, 3)
	requireMode(t, j)
}

func requireMode(t *testing.T, j *journal.Journal) {
	t.Helper()
	info, err := os.Stat(j.Path())
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), info.Mode())
	entries, err := os.ReadDir(filepath.Dir(j.Path()))
	require.NoError(t, err)
	require.Len(t, entries, 1)
}

// Appending again changes nothing, whatever else the batch has.
func TestAppendIsIdempotent(t *testing.T) {
	j := newJournal(t)
	want := chain("a", 0, 10)
	event := journal.Event{At: ownership.At(epoch), Event: "prune", Actor: "me", Reason: "tidy"}
	for _, n := range []int{4, 4, 7, 10, 10} {
		appended(t, j, journal.Batch{Records: want[:n], Events: []journal.Event{event}})
	}
	again := want[3]
	again.At = ownership.At(epoch.Add(time.Hour)) // the time of the first append stands
	appended(t, j, journal.Batch{Records: []journal.Record{again}})
	require.Equal(t, want, records(t, j, "a"))
	census, err := j.Check(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, census.Events)
	require.Len(t, since(t, j, epoch.Add(-time.Hour)), 11)
}

func since(t *testing.T, j *journal.Journal, at time.Time) []journal.Item {
	t.Helper()
	var all []journal.Item
	for item, err := range j.Since(t.Context(), ownership.At(at)) {
		require.NoError(t, err)
		all = append(all, item)
	}
	return all
}

// What happened in the whole store comes in the order of time.
func TestSince(t *testing.T) {
	j := newJournal(t)
	appended(t, j, journal.Batch{Records: chain("a", 0, 10)})
	appended(t, j, journal.Batch{Records: chain("b", 5, 10)})
	d := digestOf("a")
	event := journal.Event{At: ownership.At(epoch.Add(9500 * time.Millisecond)), Event: "recover", KeyDigest: &d}
	appended(t, j, journal.Batch{Events: []journal.Event{event}})
	items := since(t, j, epoch.Add(8*time.Second))
	require.Len(t, items, 2+7+1)
	require.Equal(t, &event, items[4].Event)
	var last time.Time
	for _, item := range items {
		if item.Record != nil {
			require.False(t, item.Record.At.Time().Before(last))
			last = item.Record.At.Time()
		}
	}
	require.Len(t, since(t, j, time.Unix(0, 0)), 21)
	for e, err := range j.Events(t.Context(), d) {
		require.NoError(t, err)
		require.Equal(t, event, e)
	}
}

// What was done within one millisecond is told in the order in which it was done, and
// once.
func TestEventsOfOneMoment(t *testing.T) {
	j := newJournal(t)
	d := digestOf("a")
	var want []journal.Event
	for n := range 12 {
		want = append(want, journal.Event{At: ownership.At(epoch), Event: "approve", KeyDigest: &d, Reason: string(rune('a' + n*7%12))})
	}
	for _, e := range append(want, want...) {
		require.NoError(t, j.Note(t.Context(), e))
		appended(t, j, journal.Batch{Events: []journal.Event{e}})
	}
	var told, inStore []journal.Event
	for e, err := range j.Events(t.Context(), d) {
		require.NoError(t, err)
		told = append(told, e)
	}
	for _, item := range since(t, j, epoch) {
		inStore = append(inStore, *item.Event)
	}
	require.Equal(t, want, told)
	require.Equal(t, want, inStore)
}

// Of two records with one predecessor that no chain leads to, the one that was there
// first was in force.
func TestStrays(t *testing.T) {
	j := newJournal(t)
	appended(t, j, journal.Batch{Records: chain("a", 0, 4)})
	never := record("a", 3)
	never.Bytes = []byte("never in force")
	never.Revision, never.Loose = ownership.RevisionOf(never.Bytes), true
	older := record("a", 4) // follows the last one: it may well have been in force
	older.Loose = true
	appended(t, j, journal.Batch{Records: []journal.Record{never, older}})
	older.Loose = false
	require.Equal(t, append(chain("a", 0, 4), older), records(t, j, "a"))
	for r, err := range j.Strays(t.Context(), digestOf("a")) {
		require.NoError(t, err)
		require.Equal(t, never.Revision, r.Revision)
	}
}

func TestFind(t *testing.T) {
	j := newJournal(t)
	want := chain("a", 0, 6)
	appended(t, j, journal.Batch{Records: want})
	got, ok, err := j.Find(t.Context(), want[3].Digest, want[3].Generation, want[3].Revision)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, want[3], got)
	_, ok, err = j.Find(t.Context(), want[3].Digest, want[3].Generation, record("b", 0).Revision)
	require.NoError(t, err)
	require.False(t, ok)
	known, err := j.Knows(t.Context(), want[3].Digest, want[5].Revision)
	require.NoError(t, err)
	require.True(t, known)
	known, err = j.Knows(t.Context(), digestOf("b"), want[5].Revision)
	require.NoError(t, err)
	require.False(t, known)
}

// A second process that stopped while it had the file is named, and not waited for.
func TestLockedByAStoppedProcess(t *testing.T) {
	t.Parallel() // it mostly waits
	j := newJournal(t)
	appended(t, j, journal.Batch{Records: chain("a", 0, 4)})
	holder, lines := role(t, "holder", j.Path())
	require.True(t, lines.Scan())
	read := make(chan error, 1)
	go func() {
		for _, err := range j.Records(t.Context(), digestOf("a")) {
			read <- err
		}
		close(read)
	}()
	err := j.Append(t.Context(), journal.Batch{Records: chain("a", 4, 1)})
	require.ErrorIs(t, err, journal.ErrLocked)
	require.ErrorContains(t, err, "pid")
	require.ErrorIs(t, <-read, journal.ErrLocked)
	require.NoError(t, <-read, "it ends there")
	require.NoError(t, holder.Process.Kill())
	require.Error(t, holder.Wait())
	require.Equal(t, chain("a", 0, 4), records(t, j, "a"))
}

// What is in the journal's place and no file of ours is neither followed nor changed.
func TestOtherThingsInItsPlace(t *testing.T) {
	for name, plant := range map[string]func(path string) error{
		"link":      func(path string) error { return os.Symlink("elsewhere", path) },
		"directory": func(path string) error { return os.Mkdir(path, 0o700) },
		"fifo":      makeFIFO,
		"garbage":   func(path string) error { return os.WriteFile(path, []byte("garbage\n"), 0o600) },
		"empty":     func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"zeros":     func(path string) error { return os.WriteFile(path, make([]byte, 1<<16), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			j := newJournal(t)
			require.NoError(t, plant(j.Path()))
			before := shape(t, j)
			err := j.Append(t.Context(), journal.Batch{Records: chain("a", 0, 1)})
			requireDamaged(t, err)
			_, err = j.Highest(t.Context(), digestOf("a"))
			requireDamaged(t, err)
			_, err = j.Check(t.Context())
			requireDamaged(t, err)
			require.Equal(t, before, shape(t, j))
			require.NoFileExists(t, filepath.Join(filepath.Dir(j.Path()), "elsewhere"))
		})
	}
}

// shape is what is in the journal's place, without opening it.
func shape(t *testing.T, j *journal.Journal) string {
	t.Helper()
	info, err := os.Lstat(j.Path())
	require.NoError(t, err)
	return fmt.Sprint(info.Mode(), info.Size(), info.ModTime())
}

func requireDamaged(t *testing.T, err error) {
	t.Helper()
	require.ErrorIs(t, err, journal.ErrDamaged)
	var typed *journal.Error
	require.True(t, errors.As(err, &typed))
}
