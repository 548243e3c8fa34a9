package admin_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/admin"
)

// What an unsound archive takes is lost, so it is given nothing (I11).
func TestNothingIsEntrustedToADamagedArchive(t *testing.T) {
	w := newWorld(t)
	w.cycle("k", 3)
	w.archive("k")
	f, err := os.OpenFile(w.journal(), os.O_WRONLY, 0)
	require.NoError(t, err)
	size, err := f.Seek(0, 2)
	require.NoError(t, err)
	_, err = f.WriteAt(make([]byte, 4096), size/4096/2*4096) // one page of zeros, somewhere in the middle
	require.NoError(t, err)
	require.NoError(t, f.Close())
	w.cycle("k", 2)
	before := w.revs("k")
	failed := 0
	for _, err := range admin.Prune(context.Background(), w.store, admin.Pruning{Mode: admin.PruneDo}) {
		if err != nil {
			failed++
		}
	}
	require.NotZero(t, failed)
	require.Equal(t, before, w.revs("k"))
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
	for range admin.Prune(context.Background(), w.store, admin.Pruning{Mode: admin.PruneDo}) {
	}
	require.NoError(t, os.Remove(rev))
	require.NoError(t, os.Rename(rev+".away", rev))
	require.Equal(t, whole, w.told(target("k")))
	w.archive("k")
	require.Equal(t, whole, w.told(target("k")))
}
