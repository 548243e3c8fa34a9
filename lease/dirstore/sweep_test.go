package dirstore_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

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
		require.ErrorIs(t, broken.Forget(background, c.digest(), revisionsOf(revs), ownership.Revision{1}), os.ErrInvalid)
		require.FileExists(t, s.RevPath(c.digest(), revs[0].Revision))
	}
	current := []dirstore.Rev{{Revision: box.Current.Revision}}
	require.ErrorIs(t, s.Forget(background, c.digest(), revisionsOf(current), ownership.Revision{}), lease.ErrConflict)
	require.ErrorIs(t, s.ForgetStrays(background, c.digest(), revs[0].Revision, revisionsOf(revs)), lease.ErrConflict)
	require.FileExists(t, filepath.Join(sessionDir(dir, "k"), "record.json"))
	seen := &calls{failAt: -1}
	require.NoError(t, seen.store(t, dir).Forget(background, c.digest(), revisionsOf(revs), box.Current.Revision))
	require.Zero(t, seen.syncs(), "it is durable")
	require.NoFileExists(t, s.RevPath(c.digest(), revs[0].Revision))
}

// I11: a publisher gives its record a name in history before the record is in force. Until
// it has done both, nobody may take that name for one that never came into force.
func TestStraysAreNotRemovedBesideAPublish(t *testing.T) {
	s, dir := newStore(t)
	c := mustAcquire(t, s, "k", self())
	require.NoError(t, c.release())
	box, err := s.Outbox(background, c.digest())
	require.NoError(t, err)
	revs := revisionsOf(box.Past)
	require.Len(t, revs, 1)

	room, err := os.Open(sessionDir(dir, "k"))
	require.NoError(t, err)
	defer room.Close()
	require.NoError(t, unix.Flock(int(room.Fd()), unix.LOCK_EX))
	impatient, cancel := context.WithCancel(background)
	cancel()
	require.ErrorIs(t, s.ForgetStrays(impatient, c.digest(), box.Current.Revision, revs), context.Canceled)
	require.FileExists(t, s.RevPath(c.digest(), revs[0]))

	require.NoError(t, unix.Flock(int(room.Fd()), unix.LOCK_UN))
	require.NoError(t, s.ForgetStrays(background, c.digest(), box.Current.Revision, revs))
	require.NoFileExists(t, s.RevPath(c.digest(), revs[0]))
}

func revisionsOf(revs []dirstore.Rev) (all []ownership.Revision) {
	for _, r := range revs {
		all = append(all, r.Revision)
	}
	return all
}
