package journal

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"holdfast/ownership"
)

// Of those who share a transaction one goes away: the others are answered as if it had
// stayed.
func TestWhoGoesAwayTakesNobodysAnswerAlong(t *testing.T) {
	j := At(filepath.Join(t.TempDir(), "journal.db"))
	require.NoError(t, j.Note(t.Context(), Event{Event: "prune"}))
	busy, err := os.Open(j.Path())
	require.NoError(t, err)
	require.NoError(t, unix.Flock(int(busy.Fd()), unix.LOCK_EX))
	time.AfterFunc(LockWait/20, func() { _ = busy.Close() })
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	d := ownership.Digest{1}
	all := []*posting{
		{ctx: gone, batch: noteOf(t, Event{Event: "recover", KeyDigest: &d, Reason: "one"})},
		{ctx: t.Context(), batch: noteOf(t, Event{Event: "recover", KeyDigest: &d, Reason: "two"})},
	}
	j.answer(all)
	require.True(t, all[1].done)
	require.NoError(t, all[1].err)
	var reasons []string
	for e, err := range j.Events(t.Context(), d) {
		require.NoError(t, err)
		reasons = append(reasons, e.Reason)
	}
	require.ElementsMatch(t, []string{"one", "two"}, reasons)
}

func noteOf(t *testing.T, e Event) Batch {
	t.Helper()
	prefix, value, err := e.encode()
	require.NoError(t, err)
	return Batch{notes: []note{{e.At, prefix, value}}}
}
