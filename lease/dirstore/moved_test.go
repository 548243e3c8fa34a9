package dirstore_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/lease"
	"holdfast/lease/dirstore"
)

// meetings are the ways in which a store is met.
var meetings = map[string]func(t *testing.T, s *dirstore.Store) lease.Store{
	"acquired": func(t *testing.T, s *dirstore.Store) lease.Store {
		require.NoError(t, mustAcquire(t, s, "k", self()).release())
		return s
	},
	"viewed": func(t *testing.T, s *dirstore.Store) lease.Store {
		v := s.View(keyOf("k").Digest())
		defer v.Close()
		_, err := v.Load(background)
		require.NoError(t, err)
		return s
	},
	"listed": func(t *testing.T, s *dirstore.Store) lease.Store {
		for _, err := range s.List(background) {
			require.NoError(t, err)
		}
		return s
	},
	"gathered": func(t *testing.T, s *dirstore.Store) lease.Store {
		_, err := s.Load(background, keyOf("k").Digest())
		require.NoError(t, err)
		gathered, done := s.Gather()
		if gathered == nil {
			return s
		}
		t.Cleanup(done)
		return gathered
	},
}

// Whoever has met a store neither makes another one where it was, nor takes its sessions for
// vacant: they may have owners. Back in its place it is used as before.
func TestStoreThatWasMovedAwayIsNotMadeAnew(t *testing.T) {
	maker, dir := newStore(t)
	require.NoError(t, mustAcquire(t, maker, "k", self()).release())
	for name, meet := range meetings {
		t.Run(name, func(t *testing.T) {
			s := meet(t, openStore(t, dir))
			require.NoError(t, os.Rename(dir, dir+".moved"))
			_, err := s.Hold(background, keyOf("k").Digest(), 9)
			require.ErrorIs(t, err, lease.ErrStoreUnavailable)
			stored, err := s.Load(background, keyOf("k").Digest())
			if name != "gathered" { // which has the store open, wherever it is
				require.ErrorIs(t, err, lease.ErrStoreUnavailable)
			} else {
				require.NoError(t, err)
				require.False(t, stored.Vacant())
			}
			require.NoDirExists(t, dir)
			require.NoError(t, os.Rename(dir+".moved", dir))
			require.NoError(t, mustAcquire(t, s, "k", self()).release())
		})
	}
}
