package admin_test

import (
	"context"
	"os"
	"path/filepath"
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

// A watch that goes on leaves out what was idle and the same then, with an ample step
// back, and nothing that may have changed since.
func TestWatchGoesOn(t *testing.T) {
	w := newWorld(t)
	w.cycle("old", 1)
	w.own(plan{Key: "held"})
	killed := w.own(plan{Key: "killed"})
	w.pastTheClockOfFiles()
	since := time.Now().Add(5 * time.Second)
	w.pastTheClockOfFiles()
	killed.kill()
	w.cycle("fresh", 1)
	all := w.watch(admin.Watching{Every: time.Hour, Since: since})
	seen := map[ownership.Digest]ownership.State{}
	for len(seen) < 3 {
		c := <-all.changes
		require.Nil(t, c.PreviousState)
		seen[c.KeyDigest] = c.State
	}
	require.Equal(t, map[ownership.Digest]ownership.State{
		target("killed").Digest: ownership.StateStranded,
		target("held").Digest:   ownership.StateHeld,
		target("fresh").Digest:  ownership.StateIdle,
	}, seen)
	l := acquired(w.store, "old", plan{}) // it was seen, and left out
	c := all.next("old", ownership.StateHeld)
	require.NoError(t, l.Release(t.Context()))
	require.Equal(t, ownership.StateIdle, *c.PreviousState)
}

func (w *world) pastTheClockOfFiles() {
	w.Helper()
	path := filepath.Join(w.TempDir(), "clock")
	began := time.Now()
	w.eventually(func() bool {
		require.NoError(w, os.WriteFile(path, nil, 0o600))
		info, err := os.Stat(path)
		require.NoError(w, err)
		return info.ModTime().After(began)
	})
}

// The first look comes in the order in which sessions changed, and names those times:
// whoever goes on from any of its rows has missed none of the others.
func TestTheFirstLookIsInTheOrderOfTime(t *testing.T) {
	w := newWorld(t)
	keys := many(8)
	for _, key := range keys {
		w.cycle(key, 1)
		w.pastTheClockOfFiles()
	}
	began := time.Now()
	all := w.watch(admin.Watching{Every: time.Hour})
	var last admin.Change
	for n, key := range keys {
		c := <-all.changes
		require.Equal(t, target(key).Digest, c.KeyDigest, n)
		require.False(t, c.At.Time().Before(last.At.Time()))
		info, err := os.Stat(w.file(key, "record.json"))
		require.NoError(t, err)
		require.False(t, c.At.Time().Before(info.ModTime().Truncate(time.Millisecond)))
		require.False(t, c.At.Time().After(began), "it was not looked for yet")
		last = c
	}
}

// A record that is put back with its old time is a change.
func TestWatchSeesAnOldRecordPutBack(t *testing.T) {
	w := newWorld(t)
	w.cycle("k", 1)
	w.pastTheClockOfFiles()
	since := time.Now().Add(5 * time.Second)
	w.pastTheClockOfFiles()
	long := time.Now().Add(-time.Hour)
	require.NoError(t, os.Chtimes(w.file("k", "record.json"), long, long))
	w.watch(admin.Watching{Every: time.Hour, Since: since}).next("k", ownership.StateIdle)
}
