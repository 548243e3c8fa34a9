package journal_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"holdfast/internal/journal"
	"holdfast/internal/testkit"
	"holdfast/ownership"
)

// What is there already is not written again: the bytes stay, and a journal that cannot be
// written answers as well.
func TestNotesThatAreThereChangeNothing(t *testing.T) {
	dir := t.TempDir()
	j := journal.At(filepath.Join(dir, "journal.db"))
	events := make([]journal.Event, 8)
	for i := range events {
		events[i] = journal.Event{Event: "recover", KeyDigest: &ownership.Digest{1}, Reason: fmt.Sprint(i)}
		require.NoError(t, j.Note(t.Context(), events[i]))
	}
	before, err := os.ReadFile(j.Path())
	require.NoError(t, err)
	noteAll(t, j, events)
	after, err := os.ReadFile(j.Path())
	require.NoError(t, err)
	require.True(t, bytes.Equal(before, after))

	makeReadOnly(t, dir)
	noteAll(t, j, events)
	require.ErrorIs(t, j.Note(t.Context(), journal.Event{Event: "recover", Reason: "another"}), unix.EROFS)
}

func noteAll(t *testing.T, j *journal.Journal, events []journal.Event) {
	t.Helper()
	var all sync.WaitGroup
	faults := make([]error, len(events))
	for i, e := range events {
		all.Go(func() { faults[i] = j.Note(t.Context(), e) })
	}
	all.Wait()
	require.NoError(t, errors.Join(faults...))
}

func makeReadOnly(t *testing.T, dir string) {
	t.Helper()
	if err := unix.Mount(dir, dir, "", unix.MS_BIND, ""); err != nil {
		testkit.Skip(t, fmt.Sprintf("bind mount: %v", err))
	}
	t.Cleanup(func() { require.NoError(t, unix.Unmount(dir, unix.MNT_DETACH)) })
	require.NoError(t, unix.Mount("", dir, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""))
}
