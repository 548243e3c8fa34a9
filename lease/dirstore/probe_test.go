package dirstore_test

import (
	"context"
	"crypto/rand"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/lease"
	"holdfast/ownership"
)

func withTimeout(t testing.TB, d time.Duration) (context.Context, context.CancelFunc) {
	t.Helper()
	return context.WithTimeout(background, d)
}

func otherBoot() *string {
	s := "00000000-0000-4000-8000-000000000000"
	return &s
}

func otherHost() *ownership.Digest {
	var d ownership.Digest
	rand.Read(d[:])
	return &d
}

// The list of liveness, in its order: each owner is left behind by an acquire whose
// lock was dropped.
func TestProbeOfAnOwnerWithoutLocks(t *testing.T) {
	for what, c := range map[string]struct {
		change func(o *ownership.Owner)
		want   ownership.Verdict
	}{
		"dead, this boot":                      {func(*ownership.Owner) {}, ownership.Gone},
		"alive, this boot":                     {func(o *ownership.Owner) { *o = self() }, ownership.Unproven},
		"another host name on this machine":    {func(o *ownership.Owner) { o.Host = "renamed" }, ownership.Gone},
		"another boot of this machine":         {func(o *ownership.Owner) { o.BootID = otherBoot() }, ownership.Gone},
		"another boot of another machine":      {func(o *ownership.Owner) { o.BootID, o.HostID = otherBoot(), otherHost() }, ownership.Unproven},
		"another boot of an unknown machine":   {func(o *ownership.Owner) { o.BootID, o.HostID = otherBoot(), nil }, ownership.Unproven},
		"an unknown boot":                      {func(o *ownership.Owner) { o.BootID = nil }, ownership.Unproven},
		"this boot, whatever the host id says": {func(o *ownership.Owner) { o.HostID = otherHost() }, ownership.Gone},
	} {
		t.Run(what, func(t *testing.T) {
			s, dir := newStore(t)
			o := dead(t)
			c.change(&o)
			owner := mustAcquire(t, s, "k", o)
			require.NoError(t, owner.hold.Drop())
			before := tree(t, dir)
			live := probed(t, s, *owner.current.Record)
			require.Equal(t, c.want, live.Verdict, "%+v", live.Evidence)
			require.Equal(t, ownership.NoLock, live.Held)
			require.Equal(t, before, tree(t, dir))
			require.Equal(t, []string{"life lock", "kin lock", "boot"}, probes(live)[:3])
			require.NotNil(t, live.Holders)
			for _, e := range live.Evidence {
				require.NotEmpty(t, e.Detail)
			}
		})
	}
}

// probed asks the store and a view of it, whose answers are the same but for what the
// clock put into them.
func probed(t *testing.T, s lease.Store, r ownership.Record) ownership.Liveness {
	t.Helper()
	live, err := s.Probe(background, r)
	require.NoError(t, err)
	view := s.(lease.Viewer).View(r.KeyDigest)
	defer view.Close()
	seen, err := view.Probe(background, r)
	require.NoError(t, err)
	require.Equal(t, live.Verdict, seen.Verdict)
	require.Equal(t, live.Held, seen.Held)
	require.Equal(t, probes(live), probes(seen))
	return live
}

func probes(l ownership.Liveness) []string {
	all := []string{}
	for _, e := range l.Evidence {
		all = append(all, e.Probe)
	}
	return all
}

// When the life lock is held nothing else is asked, however dead the record says its
// owner is.
func TestAHeldLifeLockIsEnough(t *testing.T) {
	s, _ := newStore(t)
	c := mustAcquire(t, s, "k", dead(t))
	live := probed(t, s, *c.current.Record)
	require.Equal(t, ownership.Alive, live.Verdict)
	require.Equal(t, ownership.LifeLock, live.Held)
	require.Equal(t, []string{"life lock"}, probes(live))
	require.Equal(t, ownership.Present, live.Evidence[0].Finding)
}

// A lock that cannot be asked about is not free: nobody is gone then.
func TestALockThatCannotBeAskedProvesNothing(t *testing.T) {
	s, dir := newStore(t)
	c := mustAcquire(t, s, "k", dead(t))
	require.NoError(t, c.hold.Drop())
	for answer, verdict := range map[string]string{
		"error=ENOLCK": "unproven", "error=EIO": "unproven", "error=EAGAIN": "alive", "error=EINTR:when=1": "gone",
	} {
		o := start(t, "probe", flocks(t, answer), dir, "k")
		out, err := io.ReadAll(o.stdout)
		require.NoError(t, err)
		require.NoError(t, o.Wait(), "%s", o.stderr)
		require.Contains(t, string(out), "verdict "+verdict, "%s: %s", answer, out)
	}
}

// A removed life-lock file hides its holder, so that nobody is gone in this boot.
func TestAMissingLifeFileProvesNothing(t *testing.T) {
	s, dir := newStore(t)
	c := mustAcquire(t, s, "k", dead(t))
	require.NoError(t, os.Remove(filepath.Join(sessionDir(dir, "k"), "life.1")))
	live := probed(t, s, *c.current.Record)
	require.Equal(t, ownership.Unproven, live.Verdict)
	require.Equal(t, ownership.Unknown, live.Evidence[0].Finding)
	require.NoFileExists(t, filepath.Join(sessionDir(dir, "k"), "life.1"))
}

// An owner that said it abandoned this generation is not unproven for living on; what
// it said of another generation counts for nothing.
func TestAnAbandonedSessionOfALivingOwnerIsGone(t *testing.T) {
	s, _ := newStore(t)
	c := mustAcquire(t, s, "k", self())
	require.NoError(t, c.hold.Drop())
	for g, want := range map[ownership.Generation]ownership.Verdict{2: ownership.Unproven, 1: ownership.Gone} {
		p := lease.Pulse{Generation: g, Phase: lease.PhaseAbandoned, At: ownership.At(time.Now())}
		require.NoError(t, lease.WritePulse(background, s, c.digest(), p))
		live := probed(t, s, *c.current.Record)
		require.Equal(t, want, live.Verdict, "%+v", live.Evidence)
	}
}

// A probe takes a shared lock for microseconds, on a generation that nobody claims: it
// never makes another probe say "held".
func TestProbesDoNotSeeEachOther(t *testing.T) {
	s, _ := newStore(t)
	c := mustAcquire(t, s, "k", dead(t))
	require.NoError(t, c.hold.Drop())
	done := make(chan error, 4)
	for range cap(done) {
		go func() {
			for range 50 {
				live, err := s.Probe(background, *c.current.Record)
				if err != nil || live.Held != ownership.NoLock {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range cap(done) {
		require.NoError(t, <-done)
	}
}
