package admin_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/admin"
	"holdfast/internal/testkit"
	"holdfast/lease"
	"holdfast/ownership"
)

// cycle acquires and releases a session in this process.
func (w *world) cycle(key string, times int) {
	w.Helper()
	for range times {
		l := acquired(w.store, key, plan{})
		require.NoError(w, l.Release(context.Background()))
	}
}

// told returns the history of a session, which must be readable.
func (w *world) told(t admin.Target) []admin.Entry {
	w.Helper()
	entries, errs := w.toldWith(t)
	require.Empty(w, errs)
	return entries
}

func (w *world) toldWith(t admin.Target) (entries []admin.Entry, errs []error) {
	for e, err := range admin.History(w.Context(), w.store, t) {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		e.Record = nil
		entries = append(entries, e)
	}
	return entries, errs
}

func (w *world) archive(key string) int {
	w.Helper()
	n, err := admin.Archive(w.Context(), w.store, target(key))
	require.NoError(w, err)
	return n
}

func (w *world) revs(key string) []string {
	w.Helper()
	all, err := filepath.Glob(w.file(key, "rev.*"))
	require.NoError(w, err)
	return all
}

func (w *world) journal() string { return filepath.Join(w.path, "journal.db") }

func eventsIn(entries []admin.Entry) string {
	var words []string
	for _, e := range entries {
		words = append(words, e.Event)
	}
	return strings.Join(words, " ")
}

// requireChain expects entries of records that follow each other from the first (I11).
func requireChain(t *testing.T, entries []admin.Entry) {
	t.Helper()
	require.NotEmpty(t, entries)
	require.Nil(t, entries[0].PreviousRevision)
	for n, e := range entries[1:] {
		require.NotEqual(t, admin.EventGap, e.Event, "%v", e.Reason)
		require.Equal(t, entries[n].Revision, e.PreviousRevision)
		require.False(t, e.At.Time().Before(entries[n].At.Time()))
	}
}

// The clock of files goes on in steps, and lies behind; one that was set back is told as it is.
func TestAReleaseIsNotToldBeforeItsAcquisition(t *testing.T) {
	w := newWorld(t)
	w.cycle("k", 1)
	acquired := w.told(target("k"))[0].At.Time()
	for behind, want := range map[time.Duration]time.Duration{5 * time.Millisecond: 0, time.Hour: time.Hour} {
		at := acquired.Add(-behind)
		require.NoError(t, os.Chtimes(w.file("k", "record.json"), at, at))
		require.Equal(t, acquired.Add(-want), w.told(target("k"))[1].At.Time())
	}
}

// What is told since a moment has the recovery of that very moment, though its file looks older.
func TestTheClockOfFilesHidesNoRecovery(t *testing.T) {
	w := newWorld(t)
	i := w.strand(plan{Key: "k"})
	w.recovered(admin.Recovery{Target: target("k"), Expect: *i.Revision, Consent: admin.Force})
	at := w.told(target("k"))[1].At.Time()
	behind := at.Add(-5 * time.Millisecond)
	require.NoError(t, os.Chtimes(w.file("k", "record.json"), behind, behind))
	require.Equal(t, "recover", eventsIn(w.all(at)))
}

// An event of the moment of a record that is not archived had seen it.
func TestAnEventComesAfterWhatItHadSeen(t *testing.T) {
	w := newWorld(t)
	w.cycle("k", 2)
	w.nextMoment()
	w.prune(admin.Pruning{Mode: admin.PruneDo, Actor: "ana@desk"})
	all := w.all(time.Time{})
	require.Equal(t, admin.EventPrune, all[len(all)-1].Event)
	at := all[len(all)-1].At.Time()
	require.NoError(t, os.Chtimes(w.file("k", "record.json"), at, at))
	require.Equal(t, "acquire release acquire release prune", eventsIn(w.all(time.Time{})))
}

// History is the same before, during and after its way into the archive.
func TestHistoryIsTheSameFromFilesAndArchive(t *testing.T) {
	w := newWorld(t)
	key := "k"
	l := acquired(w.store, key, plan{})
	resume := "claude --resume x"
	require.NoError(t, l.Describe(t.Context(), ownership.Facts{Resume: &resume}))
	require.NoError(t, l.Release(t.Context()))
	w.cycle(key, 2)
	i := w.strand(plan{Key: key})
	w.recovered(admin.Recovery{Target: target(key), Expect: *i.Revision, Consent: admin.Force, Actor: "ana@desk", Reason: "OOM"})

	want := w.told(target(key))
	require.Equal(t, "acquire describe release acquire release acquire release acquire recover", eventsIn(want))
	requireChain(t, want)
	last := want[len(want)-1]
	require.Equal(t, "ana@desk", *last.Actor)
	require.Equal(t, "OOM", *last.Reason)
	require.Equal(t, ownership.ReleaseForced, *last.Release)

	require.Equal(t, 8, w.archive(key))
	require.Len(t, w.revs(key), 1)
	require.Equal(t, want, w.told(target(key)))
	require.Zero(t, w.archive(key))

	w.cycle(key, 1)
	again := w.told(target(key))
	require.Equal(t, want, again[:len(want)])
	requireChain(t, again)
}

// What is telling changes nothing, not even by creating the archive (I8).
func TestHistoryChangesNothing(t *testing.T) {
	w := newWorld(t)
	require.Empty(t, w.told(target("nobody")))
	require.NoDirExists(t, w.path)
	w.cycle("k", 2)
	before := w.bytes()
	requireChain(t, w.told(target("k")))
	require.Equal(t, before, w.bytes())
}

// The rev file of the current record is its second name, and stays.
func TestTheCurrentRecordKeepsItsSecondName(t *testing.T) {
	w := newWorld(t)
	l := acquired(w.store, "k", plan{})
	require.Zero(t, w.archive("k"))
	require.NoFileExists(t, w.journal())
	require.NoError(t, l.Release(t.Context()))
	require.Equal(t, 1, w.archive("k"))
	revs := w.revs("k")
	require.Len(t, revs, 1)
	rev, err := os.Stat(revs[0])
	require.NoError(t, err)
	record, err := os.Stat(w.file("k", "record.json"))
	require.NoError(t, err)
	require.True(t, os.SameFile(rev, record))
}

// A record that is missing is told as a gap, wherever it is missing.
func TestAGapIsTold(t *testing.T) {
	for _, archived := range []bool{false, true} {
		w := newWorld(t)
		w.cycle("k", 3)
		want := w.told(target("k"))
		missing := want[2].Revision
		require.NoError(t, os.Remove(w.file("k", "rev."+missing.String()+".json")))
		if archived {
			w.archive("k")
		}
		entries := w.told(target("k"))
		require.Equal(t, "acquire release gap release acquire release", eventsIn(entries))
		require.Equal(t, missing, entries[2].Revision)
		require.NotEmpty(t, *entries[2].Reason)
	}
}

// A quarantine breaks the chain, and what came before it stays (I11).
func TestHistoryAcrossAQuarantine(t *testing.T) {
	w := newWorld(t)
	w.cycle("k", 2)
	require.NoError(t, os.Remove(w.file("k", "record.json")))
	i := w.damage("k")
	w.recovered(admin.Recovery{Target: target("k"), Expect: *i.Revision, Consent: admin.Force | admin.Quarantine})
	const want = "acquire release acquire release gap quarantine"
	require.Equal(t, want, eventsIn(w.told(target("k"))))
	require.Equal(t, 4, w.archive("k"))
	require.Len(t, w.revs("k"), 1)
	entries := w.told(target("k"))
	require.Equal(t, want, eventsIn(entries))
	require.Contains(t, *entries[4].Reason, "quarantine")
	w.cycle("k", 1)
	require.Equal(t, 2, w.archive("k"))
	require.Equal(t, want+" acquire release", eventsIn(w.told(target("k"))))
}

// The generation grows past what only the archive remembers (I2).
func TestAQuarantineGoesAboveTheArchive(t *testing.T) {
	w := newWorld(t)
	w.cycle("k", 5)
	w.archive("k")
	require.NoError(t, os.WriteFile(w.file("k", "record.json"), []byte("{\n"), 0o600)) // both names
	i := w.inspect(target("k"))
	force := admin.Recovery{Target: target("k"), Expect: *i.Revision, Consent: admin.Force | admin.Quarantine}
	require.EqualValues(t, 6, w.recovered(force).Generation)

	require.NoError(t, os.Truncate(w.journal(), 5000)) // it may remember any
	i = w.damage("k")
	force.Expect = *i.Revision
	receipt := w.attempted(force)
	require.Greater(t, receipt.Generation, ownership.Generation(1<<30))
	require.Error(t, receipt.Unrecorded)
}

func (w *world) attempted(r admin.Recovery) admin.Receipt {
	w.Helper()
	receipt, err := admin.Recover(w.Context(), w.store, r)
	require.NoError(w, err)
	return receipt
}

// An archive that cannot be used stops nobody: history tells what is in the files and
// what is missing, a recovery stands, and nothing is archived or lost.
func TestAnArchiveThatCannotBeUsed(t *testing.T) {
	t.Parallel() // it mostly waits
	for name, spoil := range map[string]func(*testing.T, string){
		"truncated": func(t *testing.T, path string) { require.NoError(t, os.Truncate(path, 5000)) },
		"garbage":   func(t *testing.T, path string) { require.NoError(t, os.WriteFile(path, []byte("garbage"), 0o600)) },
		"empty":     func(t *testing.T, path string) { require.NoError(t, os.Truncate(path, 0)) },
		"directory": func(t *testing.T, path string) {
			require.NoError(t, os.Remove(path))
			require.NoError(t, os.Mkdir(path, 0o700))
		},
		"locked": lockArchive,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.cycle("k", 2)
			w.archive("k")
			w.cycle("k", 2)
			i := w.strand(plan{Key: "k"})
			spoil(t, w.journal())

			receipt := w.attempted(admin.Recovery{Target: target("k"), Expect: *i.Revision, Consent: admin.Force})
			var fault *lease.StoreError
			require.ErrorAs(t, receipt.Unrecorded, &fault)
			require.NotEmpty(t, fault.Advice)

			files := w.revs("k")
			archived := make(chan error, 1)
			go func() {
				_, err := admin.Archive(t.Context(), w.store, target("k"))
				archived <- err
			}()
			entries, errs := w.toldWith(target("k"))
			require.Len(t, errs, 1)
			require.ErrorAs(t, errs[0], &fault)
			require.Equal(t, "release acquire release acquire release acquire recover", eventsIn(entries))
			require.Error(t, <-archived)
			require.Equal(t, files, w.revs("k"))
			w.cycle("k", 1)
		})
	}
}

// lockArchive leaves it to a process that was stopped while it used it.
func lockArchive(t *testing.T, path string) {
	f, err := os.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() })
	require.NoError(t, syscall.Flock(int(f.Fd()), syscall.LOCK_EX))
}

// A recovery's event outlives the record that it published, and has no private key.
func TestARecoveryIsRemembered(t *testing.T) {
	w := newWorld(t)
	i := w.strand(plan{Key: "k", Private: true})
	w.recovered(admin.Recovery{Target: target("k"), Expect: *i.Revision, Consent: admin.Force, Reason: "why"})
	b, err := os.ReadFile(w.journal())
	require.NoError(t, err)
	require.Contains(t, string(b), `"reason":"why"`)
	require.NotContains(t, string(b), `"key":"k"`)
	require.Equal(t, "acquire recover", eventsIn(w.told(target("k"))))

	require.NoError(t, os.RemoveAll(filepath.Dir(w.file("k", "record.json"))))
	require.Equal(t, "recover", eventsIn(w.told(target("k"))))
}

// What happened in the whole store comes in the order of time, each thing once.
func TestHistoryOfAll(t *testing.T) {
	w := newWorld(t)
	for _, key := range []string{"a", "b", "c"} {
		w.cycle(key, 2)
	}
	w.archive("a")
	w.cycle("a", 1)
	l := acquired(w.store, "b", plan{})
	resume := "x"
	require.NoError(t, l.Describe(t.Context(), ownership.Facts{Resume: &resume}))
	w.archive("b")
	i := w.strand(plan{Key: "d"})
	w.recovered(admin.Recovery{Target: target("d"), Expect: *i.Revision, Consent: admin.Force})

	all := w.all(time.Time{})
	require.Len(t, all, 3*4+2+2+2)
	seen := map[ownership.Revision]bool{}
	for n, e := range all {
		require.False(t, seen[*e.Revision])
		seen[*e.Revision] = true
		require.NotNil(t, e.KeyDigest)
		require.NotNil(t, e.Key)
		require.True(t, n == 0 || !e.At.Time().Before(all[n-1].At.Time()))
	}
	require.Equal(t, 1, strings.Count(eventsIn(all), admin.EventDescribe))
	last := all[len(all)-1]
	require.Equal(t, admin.EventRecover, last.Event)
	require.Equal(t, all[len(all)-1:], w.all(last.At.Time()))
	require.Empty(t, w.all(time.Now().Add(time.Hour)))
}

func (w *world) all(since time.Time) []admin.Entry {
	w.Helper()
	var all []admin.Entry
	for e, err := range admin.HistoryOfAll(w.Context(), w.store, since) {
		require.NoError(w, err)
		all = append(all, e)
	}
	return all
}

// A store on what nobody can write to is told all the same.
func TestHistoryOfAReadOnlyStore(t *testing.T) {
	if os.Geteuid() != 0 {
		testkit.Skip(t, "mounting needs root")
	}
	w := newWorld(t)
	w.cycle("k", 2)
	w.archive("k")
	w.cycle("k", 1)
	want := w.told(target("k"))
	mountOver(t, w.path, "--bind", w.path)
	mountOver(t, w.path, "-o", "remount,ro,bind")
	require.Equal(t, want, w.told(target("k")))
	_, err := admin.Archive(t.Context(), w.store, target("k"))
	require.ErrorIs(t, err, syscall.EROFS)
}

// mountOver mounts on a directory until the test ends.
func mountOver(t *testing.T, dir string, args ...string) {
	t.Helper()
	out, err := exec.Command("mount", append(args, dir)...).CombinedOutput()
	if err != nil {
		testkit.Skip(t, "nothing can be mounted here: "+string(out))
	}
	if args[0] == "--bind" {
		t.Cleanup(func() { require.NoError(t, exec.Command("umount", dir).Run()) })
	}
}
