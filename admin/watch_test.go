package admin_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/admin"
	"holdfast/ownership"
)

// watched is a watch that runs beside a test.
type watched struct {
	w       *world
	changes chan admin.Change
}

func (w *world) watch(o admin.Watching) watched {
	w.Helper()
	ctx, cancel := context.WithCancel(w.Context())
	all := watched{w, make(chan admin.Change, 100)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for c, err := range admin.Watch(ctx, w.store, o) {
			if err == nil {
				all.changes <- c
			}
		}
	}()
	w.Cleanup(func() { cancel(); <-done })
	return all
}

func (a watched) next(key string, state ownership.State) admin.Change {
	a.w.Helper()
	for {
		select {
		case c := <-a.changes:
			if c.KeyDigest == target(key).Digest && c.State == state {
				return c
			}
		case <-time.After(time.Minute):
			require.FailNow(a.w, "never told", "%s became %s", key, state)
		}
	}
}

// A watch that looks at everything once an hour is told of what changes meanwhile, in
// sessions that it knew and in new ones.
func TestWatchIsToldOfChanges(t *testing.T) {
	w := newWorld(t)
	w.cycle("k", 1)
	all := w.watch(admin.Watching{Every: time.Hour})
	all.next("k", ownership.StateIdle)
	for _, key := range []string{"k", "new"} {
		l := acquired(w.store, key, plan{})
		all.next(key, ownership.StateHeld)
		began := time.Now()
		require.NoError(t, l.Release(t.Context()))
		c := all.next(key, ownership.StateIdle)
		require.Equal(t, ownership.StateHeld, *c.PreviousState)
		t.Logf("told %v after the release began", time.Since(began))
	}
}

// A lock that a kill frees changes no file: the look at everything sees it.
func TestWatchSeesAKill(t *testing.T) {
	w := newWorld(t)
	o := w.own(plan{Key: "k"})
	all := w.watch(admin.Watching{Every: 10 * time.Millisecond})
	all.next("k", ownership.StateHeld)
	o.kill()
	all.next("k", ownership.StateStranded)
}

// A watch that goes on from a moment leaves out what was the same then, and nothing
// that may have changed since.
func TestWatchGoesOn(t *testing.T) {
	w := newWorld(t)
	w.cycle("old", 1)
	held := w.own(plan{Key: "held"})
	killed := w.own(plan{Key: "killed"})
	since := time.Now()
	require.Eventually(t, func() bool { return time.Since(since) > 20*time.Millisecond }, time.Minute, time.Millisecond) // past the clock of files
	since = time.Now()
	require.Eventually(t, func() bool { return time.Since(since) > 20*time.Millisecond }, time.Minute, time.Millisecond)
	killed.kill()
	w.cycle("fresh", 1)
	all := w.watch(admin.Watching{Every: time.Hour, Since: since})
	seen := map[ownership.Digest]ownership.State{}
	for len(seen) < 2 {
		c := <-all.changes
		seen[c.KeyDigest] = c.State
	}
	require.Equal(t, map[ownership.Digest]ownership.State{
		target("killed").Digest: ownership.StateStranded,
		target("fresh").Digest:  ownership.StateIdle,
	}, seen)
	held.release() // it was seen, and left out
	c := all.next("held", ownership.StateIdle)
	require.Equal(t, ownership.StateHeld, *c.PreviousState)
}
