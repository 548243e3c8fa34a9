package dirstore_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/lease/dirstore"
	"holdfast/ownership"
)

// Whatever a session's history is made of, the quick way reads what the other one reads, or
// leaves it to that.
func TestTheQuickLookAtHistoryIsTheOther(t *testing.T) {
	s, dir := newStore(t)
	few := mustAcquire(t, s, "few", self())
	many := mustAcquire(t, s, "many", self())
	for range 30 {
		require.NoError(t, many.release())
		many = mustAcquire(t, s, "many", self())
	}
	require.NoError(t, many.release())
	stray := mustAcquire(t, s, "stray", self())
	b := strayRecord(t, stray)
	at := s.RevPath(stray.key.Digest(), ownership.RevisionOf(b))
	require.NoError(t, os.WriteFile(at, b, 0o600))
	for _, c := range []*turn{few, many, stray} {
		quick, plain := s.PlainOutbox(background, c.key.Digest())
		require.True(t, plain)
		long, err := s.LongOutbox(background, c.key.Digest())
		require.NoError(t, err)
		require.Equal(t, long, quick)
	}

	session := sessionDir(dir, "few")
	own := filepath.Join(session, "rev."+few.current.Revision.String()+".json")
	for what, change := range map[string]func() error{
		"other bytes than its name says": func() error {
			return os.WriteFile(s.RevPath(few.key.Digest(), ownership.Revision{1}), few.bytes, 0o600)
		},
		"a link":                      func() error { return os.Symlink(own, s.RevPath(few.key.Digest(), ownership.Revision{2})) },
		"a second file of the record": func() error { return os.Rename(copied(t, own), own) },
		"no record":                   func() error { return os.Remove(filepath.Join(session, "record.json")) },
	} {
		require.NoError(t, change())
		_, plain := s.PlainOutbox(background, few.key.Digest())
		require.False(t, plain, what)
		require.NoError(t, os.RemoveAll(session))
		few = mustAcquire(t, s, "few", self())
		own = filepath.Join(session, "rev."+few.current.Revision.String()+".json")
	}
	none, plain := s.PlainOutbox(background, keyOf("none").Digest())
	require.False(t, plain)
	require.Equal(t, dirstore.Outbox{}, none)
}

// strayRecord is a record that would follow the one in force.
func strayRecord(t *testing.T, c *turn) []byte {
	t.Helper()
	r, err := ownership.ReleaseAcknowledge(c.current)
	require.NoError(t, err)
	b, err := ownership.Encode(r)
	require.NoError(t, err)
	return b
}

// copied is a file of its own with the same bytes.
func copied(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	again := filepath.Join(filepath.Dir(path), "copy")
	require.NoError(t, os.WriteFile(again, b, 0o600))
	return again
}
