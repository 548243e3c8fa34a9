package admin_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/admin"
	"holdfast/internal/journal"
	"holdfast/ownership"
)

// What an unsound archive takes is lost, so it is given nothing, whichever of its pages
// is damaged (I11).
func TestNothingIsEntrustedToADamagedArchive(t *testing.T) {
	w := newWorld(t)
	for _, key := range []string{"k", "l"} {
		w.cycle(key, 3)
		w.archive(key)
	}
	w.prune(admin.Pruning{Mode: admin.PruneDo})
	sound, err := os.ReadFile(w.journal())
	require.NoError(t, err)
	w.cycle("k", 2)
	before := w.revs("k")
	damaged := 0
	for at := 2 * os.Getpagesize(); at < len(sound); at += os.Getpagesize() {
		unsound := slices.Clone(sound)
		clear(unsound[at : at+os.Getpagesize()])
		require.NoError(t, os.WriteFile(w.journal(), unsound, 0o600))
		if _, err := journal.At(w.journal()).Check(t.Context()); err == nil {
			continue // a page that nothing uses
		}
		damaged++
		failed := 0
		for _, err := range admin.Prune(t.Context(), w.store, admin.Pruning{Mode: admin.PruneDo}) {
			if err != nil {
				failed++
			}
		}
		require.NotZero(t, failed)
		require.Equal(t, before, w.revs("k"), "page at %d", at)
	}
	require.NotZero(t, damaged)
}

// A restored backup makes a generation come twice; every acquisition of it is told, by
// the files and by the archive alike.
func TestAGenerationThatCameTwiceIsToldTwice(t *testing.T) {
	w := newWorld(t)
	w.cycle("k", 2)
	w.archive("k")
	sessions, kept := filepath.Join(w.path, "sessions"), filepath.Join(w.path, "..", "kept")
	require.NoError(t, exec.Command("cp", "-a", sessions, kept).Run())
	w.cycle("k", 1)
	w.archive("k")
	require.NoError(t, os.RemoveAll(sessions))
	require.NoError(t, os.Rename(kept, sessions))
	w.cycle("k", 2)
	w.archive("k")
	third := 0
	for _, e := range w.all(time.Time{}) {
		if e.Event == admin.EventAcquire && *e.Generation == 3 {
			third++
		}
	}
	require.Equal(t, 2, third)
	entries, _ := w.toldWith(target("k"))
	third = 0
	for _, e := range entries {
		require.NotEqual(t, admin.EventDescribe, e.Event)
		if e.Event == admin.EventAcquire && *e.Generation == 3 {
			third++
		}
	}
	require.Equal(t, 2, third)
}

// A file of history that cannot be read for a while keeps the rest where it is: archived
// around it, the records would stand in another order than they came in.
func TestNothingIsArchivedAroundAFileThatCannotBeRead(t *testing.T) {
	w := newWorld(t)
	w.cycle("k", 3)
	whole := w.told(target("k"))
	var second string
	for _, e := range whole {
		if e.Event == admin.EventAcquire && *e.Generation == 2 {
			second = e.Revision.String()
		}
	}
	key := target("k")
	rev := filepath.Join(w.path, "sessions", key.Digest.String(), "rev."+second+".json")
	require.NoError(t, os.Rename(rev, rev+".away"))
	require.NoError(t, os.Mkdir(rev, 0o700))
	require.Zero(t, w.archive("k"))
	for range admin.Prune(t.Context(), w.store, admin.Pruning{Mode: admin.PruneDo, Before: time.Now().Add(-time.Hour)}) {
	}
	require.NoError(t, os.Remove(rev))
	require.NoError(t, os.Rename(rev+".away", rev))
	require.Equal(t, whole, w.told(target("k")))
	w.archive("k")
	require.Equal(t, whole, w.told(target("k")))
}

// A file of history that never will be what its name says goes into quarantine, byte for
// byte, and the rest into the archive; a gap stays, and says where the bytes are (I11).
func TestPruneSetsDamagedHistoryAside(t *testing.T) {
	for name, damage := range map[string]func(path string) error{
		"other bytes": func(path string) error { return os.WriteFile(path, []byte("{\n"), 0o600) },
		"empty":       func(path string) error { return os.Truncate(path, 0) },
		"oversized":   func(path string) error { return os.Truncate(path, 1<<17) },
		"directory":   func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
		"link":        func(path string) error { return errors.Join(os.Remove(path), os.Symlink("/nowhere", path)) },
		"fifo":        func(path string) error { return errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.cycle("k", 3)
			second := w.told(target("k"))[2]
			rev := "rev." + second.Revision.String() + ".json"
			require.NoError(t, damage(w.file("k", rev)))
			before := lstat(t, w.file("k", rev))
			_, errs := w.toldWith(target("k"))
			require.Len(t, errs, 1)

			want := []string{"quarantine " + rev}
			require.Equal(t, want, filesIn(w.prune(admin.Pruning{})))
			require.True(t, os.SameFile(before, lstat(t, w.file("k", rev))))
			require.Equal(t, want, filesIn(w.prune(admin.Pruning{Mode: admin.PruneDo})))
			kept, err := os.ReadDir(filepath.Join(w.path, "quarantine"))
			require.NoError(t, err)
			require.Len(t, kept, 1)
			after := lstat(t, filepath.Join(w.path, "quarantine", kept[0].Name()))
			require.True(t, os.SameFile(before, after))
			require.Len(t, w.revs("k"), 1)

			entries := w.told(target("k"))
			require.Equal(t, "acquire release gap release acquire release set-aside", eventsIn(entries))
			require.Equal(t, second.Revision, entries[2].Revision)
			require.Contains(t, *entries[6].Reason, kept[0].Name())
			require.Contains(t, eventsIn(w.all(time.Time{})), admin.EventSetAside)
			require.Empty(t, w.prune(admin.Pruning{Mode: admin.PruneDo}))
			found, err := admin.Doctor(t.Context(), w.store)
			require.NoError(t, err)
			for _, f := range found {
				require.False(t, f.Problem && f.Check == "history", f.Detail)
			}
		})
	}
}

// The current record's own file in history may become the only one of its bytes: something
// else in its place is seen by the doctor, and goes into quarantine by a prune or, at the
// latest, by the next publish (I11).
func TestTheCurrentRecordKeepsItsFileInHistory(t *testing.T) {
	for name, plant := range map[string]func(path string) error{
		"other bytes": func(path string) error { return os.WriteFile(path, []byte("{}\n"), 0o600) },
		"directory":   func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		for mend, does := range map[string]func(*world){
			"prune":   func(w *world) { w.prune(admin.Pruning{Mode: admin.PruneDo}) },
			"publish": func(w *world) { w.cycle("k", 1) },
		} {
			t.Run(name+" "+mend, func(t *testing.T) {
				w := newWorld(t)
				w.cycle("k", 2)
				whole := w.told(target("k"))
				second := w.file("k", "rev."+whole[3].Revision.String()+".json")
				require.NoError(t, os.Remove(second))
				require.NoError(t, plant(second))
				planted := lstat(t, second)
				require.Len(t, w.doctor()["readable"], 1)
				does(w)
				require.Empty(t, w.doctor()["readable"])
				entries := w.told(target("k"))
				require.Equal(t, whole, entries[:4])
				require.NotContains(t, eventsIn(entries), admin.EventGap)
				kept, err := os.ReadDir(filepath.Join(w.path, "quarantine"))
				require.NoError(t, err)
				require.Len(t, kept, 1)
				require.True(t, os.SameFile(planted, lstat(t, filepath.Join(w.path, "quarantine", kept[0].Name()))))
			})
		}
	}
}

// A copy of the current record, as a restored backup has it, is as good as a second name.
func TestACopyIsAsGoodAsASecondName(t *testing.T) {
	w := newWorld(t)
	w.cycle("k", 1)
	second := w.file("k", "rev."+w.inspect(target("k")).Revision.String()+".json")
	b, err := os.ReadFile(second)
	require.NoError(t, err)
	require.NoError(t, os.Remove(second))
	require.NoError(t, os.WriteFile(second, b, 0o600))
	require.Empty(t, w.doctor())
	w.cycle("k", 1)
	require.Equal(t, "acquire release acquire release", eventsIn(w.told(target("k"))))
}

func lstat(t *testing.T, path string) os.FileInfo {
	t.Helper()
	info, err := os.Lstat(path)
	require.NoError(t, err)
	return info
}

// Of a session whose record cannot be read everything stays where it is.
func TestPruneSetsNothingAsideBesideAnUnreadableRecord(t *testing.T) {
	w := newWorld(t)
	w.cycle("k", 2)
	require.NoError(t, os.WriteFile(w.revs("k")[0], nil, 0o600))
	require.NoError(t, os.Remove(w.file("k", "record.json")))
	w.damage("k")
	revs := w.revs("k")
	failed := 0
	for found, err := range admin.Prune(t.Context(), w.store, admin.Pruning{Mode: admin.PruneDo}) {
		if err != nil {
			failed++
			continue
		}
		require.NotEqual(t, admin.PruneQuarantine, found.Action)
	}
	require.NotZero(t, failed)
	require.Equal(t, revs, w.revs("k"))
}

// A session whose files were put back from a backup is told to be behind what the archive
// knows, by its history and by the doctor; so is one of which only the archive is left.
func TestASessionThatWentBackIsTold(t *testing.T) {
	for _, what := range []string{"restored", "lost"} {
		t.Run(what, func(t *testing.T) {
			w := newWorld(t)
			w.cycle("k", 2)
			session := w.file("k", "")
			kept := filepath.Join(w.TempDir(), "kept")
			require.NoError(t, exec.Command("cp", "-a", session, kept).Run())
			w.cycle("k", 2)
			w.archive("k")
			require.NotContains(t, eventsIn(w.told(target("k"))), admin.EventGap)
			require.NoError(t, os.RemoveAll(session))
			if what == "restored" {
				require.NoError(t, os.Rename(kept, session))
			}
			entries := w.told(target("k"))
			last := entries[len(entries)-1]
			require.Equal(t, admin.EventGap, last.Event)
			require.Contains(t, *last.Reason, "went back")
			require.Equal(t, entries[len(entries)-2].Revision, last.Revision)
			found := w.doctor()
			require.Len(t, found["backup"], 1)
			require.Empty(t, found["history"])
		})
	}
}

// What is lost for good is acknowledged once: a record, or all of a session. History goes
// on telling it (I11), and the doctor asks for nothing.
func TestWhatIsLostIsAcknowledged(t *testing.T) {
	w := newWorld(t)
	w.cycle("k", 2)
	w.cycle("gone", 1)
	w.archive("gone")
	require.NoError(t, os.RemoveAll(w.file("gone", "")))
	lost := w.told(target("k"))[1]
	require.NoError(t, os.Remove(w.file("k", "rev."+lost.Revision.String()+".json")))
	found := w.doctor()
	require.Len(t, found["history"], 1)
	require.Len(t, found["backup"], 1)
	for _, key := range []string{"k", "gone"} {
		for _, want := range []int{1, 0} {
			n, err := admin.Acknowledge(t.Context(), w.store, target(key), "ana@desk", "the disk died")
			require.NoError(t, err)
			require.Equal(t, want, n)
		}
	}
	require.Empty(t, w.doctor())
	entries := w.told(target("k"))
	require.Equal(t, "acquire gap acquire release acknowledge", eventsIn(entries))
	require.Equal(t, "the disk died", *entries[4].Reason)

	require.NoError(t, os.Remove(w.file("k", "rev."+entries[2].Revision.String()+".json")))
	require.Len(t, w.doctor()["history"], 1, "another one is lost")
}

// A store that went back and was used again has two lines of records: each is told as one,
// the same from files and archive, behind one gap. That it went back stays in history and
// is nothing to mend (I11).
func TestASessionThatWentBackAndWasUsedAgain(t *testing.T) {
	w := newWorld(t)
	w.cycle("k", 3)
	kept := filepath.Join(w.TempDir(), "kept")
	require.NoError(t, exec.Command("cp", "-a", w.file("k", ""), kept).Run())
	restore := func() {
		w.archive("k")
		require.NoError(t, os.RemoveAll(w.file("k", "")))
		require.NoError(t, exec.Command("cp", "-a", kept, w.file("k", "")).Run())
	}
	w.cycle("k", 2)
	restore() // the release of generation 5 was not archived
	w.cycle("k", 1)
	require.Len(t, w.doctor()["backup"], 1)
	w.cycle("k", 2)
	lines := [][]ownership.Generation{{1, 1, 2, 2, 3, 3, 4, 4, 5}, {4, 4, 5, 5, 6, 6}}
	w.requireLines(lines)
	require.Empty(t, w.doctor()["backup"])
	require.Empty(t, w.doctor()["history"])
	restore()
	w.cycle("k", 4)
	w.requireLines([][]ownership.Generation{lines[0], lines[1][:5], {4, 4, 5, 5, 6, 6, 7, 7}})
}

// A backup that was put over a session leaves the files of what came later, and those
// follow the record that is in force: each is told in its place, and that the store went
// back at the end.
func TestABackupPutOverASessionIsTold(t *testing.T) {
	w := newWorld(t)
	w.cycle("k", 2)
	w.archive("k")
	kept := filepath.Join(w.TempDir(), "kept")
	require.NoError(t, exec.Command("cp", "-a", w.file("k", ""), kept).Run())
	w.cycle("k", 2)
	whole := w.told(target("k"))
	require.NoError(t, exec.Command("cp", "-a", kept+"/.", w.file("k", "")).Run())
	require.Empty(t, w.doctor()["history"])
	require.Len(t, w.doctor()["backup"], 1)
	for range 2 {
		entries := w.told(target("k"))
		require.Equal(t, whole, entries[:8])
		require.Equal(t, "gap", eventsIn(entries[8:]))
		require.Contains(t, *entries[8].Reason, "went back")
		w.archive("k")
	}
	w.cycle("k", 1)
	w.requireLines([][]ownership.Generation{{1, 1, 2, 2, 3, 3, 4, 4}, {3, 3}})
}

// requireLines compares the generations of the lines of history, told from files and then
// from the archive.
func (w *world) requireLines(want [][]ownership.Generation) {
	w.Helper()
	for range 2 {
		lines := [][]ownership.Generation{nil}
		var last *admin.Entry
		for _, e := range w.told(target("k")) {
			n := len(lines) - 1
			switch {
			case e.Event == admin.EventGap:
				lines = append(lines, nil)
				continue
			case len(lines[n]) > 0:
				require.Equal(w, *last.Revision, *e.PreviousRevision)
			}
			lines[n] = append(lines[n], *e.Generation)
			last = &e
		}
		require.Equal(w, want, lines)
		w.archive("k")
	}
}

// What the archive has of a record is compared with its revision, and what is not that
// record is told as what it is.
func TestAnEditedArchiveIsTold(t *testing.T) {
	w := newWorld(t)
	w.cycle("k", 2)
	w.archive("k")
	b, err := os.ReadFile(w.journal())
	require.NoError(t, err)
	edited := bytes.ReplaceAll(b, []byte(`"program": "agent"`), []byte(`"program": "other"`))
	require.NotEqual(t, b, edited)
	require.NoError(t, os.WriteFile(w.journal(), edited, 0o600))
	failed := 0
	for _, err := range admin.HistoryOfAll(t.Context(), w.store, time.Time{}) {
		var format *ownership.FormatError
		if err != nil {
			require.ErrorAs(t, err, &format)
			failed++
		}
	}
	require.Equal(t, 3, failed)
	require.Contains(t, eventsIn(w.told(target("k"))), admin.EventGap)
}
