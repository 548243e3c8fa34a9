package admin_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/admin"
	"holdfast/internal/journal"
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
	for range admin.Prune(t.Context(), w.store, admin.Pruning{Mode: admin.PruneDo}) {
	}
	require.NoError(t, os.Remove(rev))
	require.NoError(t, os.Rename(rev+".away", rev))
	require.Equal(t, whole, w.told(target("k")))
	w.archive("k")
	require.Equal(t, whole, w.told(target("k")))
}
