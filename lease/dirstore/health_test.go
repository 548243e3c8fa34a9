package dirstore_test

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/lease/dirstore"
	"holdfast/ownership"
)

func TestHealthOfASoundStore(t *testing.T) {
	s, dir := newStore(t)
	c := mustAcquire(t, s, "held", self())
	kin, err := c.hold.Kin()
	require.NoError(t, err)
	defer kin.Close()
	require.NoError(t, s.SetPulse(background, c.digest(), []byte("{}")))
	require.NoError(t, mustAcquire(t, s, "idle", self()).release())
	before := tree(t, dir)
	h, err := s.Health(background)
	require.NoError(t, err)
	require.Equal(t, before, tree(t, dir))
	require.Equal(t, dirstore.Complete, h.Condition)
	require.Equal(t, dirstore.LocksExclude, h.Locks)
	require.NoError(t, h.LocksError)
	require.Equal(t, uint32(os.Geteuid()), h.Owner)
	require.Equal(t, dirstore.Local, h.FileSystem.Reach)
	require.Positive(t, h.FileSystem.FreeBytes)
	require.Empty(t, h.Leftovers)
	require.Empty(t, h.Modes)
	require.Empty(t, h.Unread)
}

func TestHealthCountsLeftovers(t *testing.T) {
	s, dir := newStore(t)
	require.NoError(t, mustAcquire(t, s, "k", self()).release())
	for _, name := range []string{"life.1", "kin.1", "next.1.json", "life.7", "pulse.json.0123456789abcdef", "pulse.json.bak", "record.json~"} {
		require.NoError(t, os.WriteFile(filepath.Join(sessionDir(dir, "k"), name), nil, 0o600))
	}
	elsewhere, _ := newStore(t)
	off := mustAcquire(t, elsewhere, "k", self()) // a first record that another one came before
	rev := "rev." + ownership.RevisionOf(off.bytes).String() + ".json"
	require.NoError(t, os.WriteFile(filepath.Join(sessionDir(dir, "k"), rev), off.bytes, 0o600))
	h, err := s.Health(background)
	require.NoError(t, err)
	count := map[dirstore.LeftoverKind]int{}
	for _, l := range h.Leftovers {
		count[l.Kind]++
		require.False(t, l.InUse, l.Path)
		require.FileExists(t, l.Path)
	}
	require.Equal(t, map[dirstore.LeftoverKind]int{
		dirstore.LifeLeftover: 2, dirstore.KinLeftover: 1, dirstore.NextLeftover: 1,
		dirstore.RevLeftover: 1, dirstore.PulseLeftover: 1,
	}, count)
}

// What a stopped process may yet go on to write is in use, and looking takes no lock
// that the next claimant of that generation would meet.
func TestALeftoverOfAStoppedProcessIsInUse(t *testing.T) {
	s, dir := newStore(t)
	owner := start(t, "hold", nil, dir, "k")
	owner.awaitReady(t)
	require.NoError(t, owner.Process.Signal(syscall.SIGSTOP))
	require.NoError(t, os.WriteFile(filepath.Join(sessionDir(dir, "k"), "next.1.json"), nil, 0o600))
	claimant, err := s.Hold(background, keyOf("k").Digest(), 2)
	require.NoError(t, err)
	defer claimant.Drop()
	h, err := s.Health(background)
	require.NoError(t, err)
	used := map[string]bool{}
	for _, l := range h.Leftovers {
		used[filepath.Base(l.Path)] = l.InUse
	}
	require.Equal(t, map[string]bool{"next.1.json": true, "life.2": true}, used)
}

// Whoever claims the next generation is never refused because somebody is looking.
func TestLookingNeverRefusesAClaimant(t *testing.T) {
	s, _ := newStore(t)
	require.NoError(t, mustAcquire(t, s, "k", self()).release())
	d := keyOf("k").Digest()
	var stop atomic.Bool
	looked := make(chan error)
	go func() {
		var err error
		for err == nil && !stop.Load() {
			_, err = s.Health(background)
		}
		looked <- err
	}()
	for range 2000 {
		h, err := s.Hold(background, d, 2)
		require.NoError(t, err)
		require.NoError(t, h.Drop())
	}
	stop.Store(true)
	require.NoError(t, <-looked)
}

func TestHealthNamesOddModes(t *testing.T) {
	s, dir := newStore(t)
	c := mustAcquire(t, s, "k", self())
	record := filepath.Join(sessionDir(dir, "k"), "record.json")
	require.NoError(t, os.Chmod(record, 0o644))
	require.NoError(t, os.Chmod(dir, 0o775))
	h, err := s.Health(background)
	require.NoError(t, err)
	odd := map[string]os.FileMode{}
	for _, o := range h.Modes {
		odd[o.Path] = o.Mode.Perm()
	}
	rev := filepath.Join(sessionDir(dir, "k"), "rev."+c.current.Revision.String()+".json") // the same file
	require.Equal(t, map[string]os.FileMode{dir: 0o775, record: 0o644, rev: 0o644}, odd)
}
