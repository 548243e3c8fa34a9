package dirstore_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/lease"
	"holdfast/ownership"
)

func TestPulseIsReplacedAtomicallyAndNotSynced(t *testing.T) {
	_, dir := newStore(t)
	seen := &calls{failAt: -1}
	s := seen.store(t, dir)
	c := mustAcquire(t, s, "k", self())
	b, err := s.Pulse(background, c.digest())
	require.NoError(t, err)
	require.Nil(t, b)
	seen.seen = nil
	for _, want := range []string{"one", "two"} {
		require.NoError(t, s.SetPulse(background, c.digest(), []byte(want)))
		b, err := s.Pulse(background, c.digest())
		require.NoError(t, err)
		require.Equal(t, want, string(b))
	}
	require.Zero(t, seen.syncs())
	requireModes(t, dir)
}

// Whatever fails, the old pulse stays and no temporary is left.
func TestAFailedPulseLeavesNothing(t *testing.T) {
	s, dir := newStore(t)
	c := mustAcquire(t, s, "k", self())
	require.NoError(t, s.SetPulse(background, c.digest(), []byte("old")))
	whole := &calls{failAt: -1}
	require.NoError(t, whole.store(t, dir).SetPulse(background, c.digest(), []byte("old")))
	before := tree(t, dir)
	for failAt := range whole.seen {
		broken := &calls{failAt: failAt}
		err := broken.store(t, dir).SetPulse(background, c.digest(), []byte("new"))
		if err == nil {
			continue // the close after the rename
		}
		require.ErrorIs(t, err, errInjected)
		require.Equal(t, before, tree(t, dir), "failing %s", broken.seen[failAt])
	}
}

func TestAPulseThatIsNoFileIsRefused(t *testing.T) {
	planted(t, "pulse.json", func(t *testing.T, s lease.Store, c *turn) {
		_, err := s.Pulse(background, c.digest())
		require.ErrorIs(t, err, lease.ErrStoreUnavailable)
		require.ErrorIs(t, s.SetPulse(background, c.digest(), []byte("{}")), lease.ErrStoreUnavailable)
	})
}

func TestAnOversizedPulseIsAnError(t *testing.T) {
	s, dir := newStore(t)
	c := mustAcquire(t, s, "k", self())
	at := filepath.Join(sessionDir(dir, "k"), "pulse.json")
	require.NoError(t, os.WriteFile(at, bytes.Repeat([]byte("x"), ownership.MaxRecordSize+1), 0o600))
	_, err := s.Pulse(background, c.digest())
	require.Error(t, err)
}
