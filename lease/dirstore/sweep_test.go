package dirstore_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/durable"
	"holdfast/lease"
	"holdfast/lease/dirstore"
	"holdfast/ownership"
)

// A look takes no lock that the next claimant would meet, and a sweep leaves alone
// what he holds.
func TestSweepingNeverRefusesAClaimant(t *testing.T) {
	s, dir := newStore(t)
	c := mustAcquire(t, s, "k", self())
	require.NoError(t, c.release())
	other := openStore(t, dir)
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() {
		var err error
		for err == nil {
			select {
			case <-stop:
				done <- nil
				return
			default:
				_, err = other.Sweep(background, c.digest(), time.Time{}, dirstore.SweepLook)
			}
		}
		done <- err
	}()
	for range 500 {
		h, err := s.Hold(background, c.digest(), 2)
		require.NoError(t, err)
		kin, err := h.Kin()
		require.NoError(t, err)
		require.NoError(t, errors.Join(kin.Close(), h.Drop()))
	}
	h, err := s.Hold(background, c.digest(), 2)
	require.NoError(t, err)
	swept, err := other.Sweep(background, c.digest(), time.Time{}, dirstore.SweepRemove)
	require.NoError(t, err)
	require.NotEmpty(t, swept)
	for _, l := range swept {
		require.NotEmpty(t, l.Kept)
		require.FileExists(t, l.Path)
	}
	require.NoError(t, h.Drop())
	close(stop)
	require.NoError(t, <-done)
}

// What a call refuses to remove is an error, and everything is still there.
func TestForgettingThatFails(t *testing.T) {
	s, dir := newStore(t)
	c := mustAcquire(t, s, "k", self())
	require.NoError(t, c.release())
	box, err := s.Outbox(background, c.digest())
	require.NoError(t, err)
	require.Len(t, box.Past, 1)
	revs := []dirstore.Rev{box.Past[0]}
	for _, op := range []string{"sync", "remove"} {
		broken, err := dirstore.Open(dir, dirstore.Options{Calls: func(call durable.Call, apply func() error) error {
			if call.Op == op {
				return os.ErrInvalid
			}
			return apply()
		}})
		require.NoError(t, err)
		require.ErrorIs(t, broken.Forget(background, c.digest(), revisionsOf(revs)), os.ErrInvalid)
		require.FileExists(t, s.RevPath(c.digest(), revs[0].Revision))
	}
	current := []dirstore.Rev{{Revision: box.Current.Revision}}
	require.ErrorIs(t, s.Forget(background, c.digest(), revisionsOf(current)), lease.ErrConflict)
	require.ErrorIs(t, s.ForgetStrays(background, c.digest(), revs[0].Revision, revisionsOf(revs)), lease.ErrConflict)
	require.FileExists(t, filepath.Join(sessionDir(dir, "k"), "record.json"))
	require.NoError(t, s.Forget(background, c.digest(), revisionsOf(revs)))
	require.NoFileExists(t, s.RevPath(c.digest(), revs[0].Revision))
}

func revisionsOf(revs []dirstore.Rev) (all []ownership.Revision) {
	for _, r := range revs {
		all = append(all, r.Revision)
	}
	return all
}
