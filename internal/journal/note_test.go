package journal_test

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/journal"
	"holdfast/ownership"
)

// However many note at once, each that is told so finds its event in a journal that did
// not exist before, once.
func TestManyNoteTogether(t *testing.T) {
	j := journal.At(filepath.Join(t.TempDir(), "journal.db"))
	key, err := ownership.ParseKey("k")
	require.NoError(t, err)
	d := key.Digest()
	const n = 40
	var all sync.WaitGroup
	faults := make(chan error, 2*n)
	for i := range 2 * n { // each twice
		all.Go(func() {
			faults <- j.Note(t.Context(), journal.Event{Event: "recover", KeyDigest: &d, Reason: fmt.Sprint("event ", i/2)})
		})
	}
	all.Wait()
	close(faults)
	for err := range faults {
		require.NoError(t, err)
	}
	seen := map[string]int{}
	for e, err := range j.Events(t.Context(), d) {
		require.NoError(t, err)
		seen[e.Reason]++
	}
	require.Len(t, seen, n)
	for reason, times := range seen {
		require.Equal(t, 1, times, reason)
	}
}
