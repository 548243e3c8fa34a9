package admin_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/admin"
	"holdfast/ownership"
)

func (w *world) list(states ...ownership.State) map[string]ownership.State {
	w.Helper()
	found := map[string]ownership.State{}
	var last ownership.Digest
	for row, err := range admin.List(w.Context(), w.store, states) {
		require.NoError(w, err)
		require.Negative(w, bytes.Compare(last[:], row.KeyDigest[:]))
		last = row.KeyDigest
		found[w.nameOf(row)] = row.State
	}
	return found
}

func (w *world) nameOf(row admin.Row) string {
	if row.Key == nil {
		return row.KeyDigest.String()
	}
	return *row.Key
}

func TestListKnowsEveryState(t *testing.T) {
	w := newWorld(t)
	w.own(plan{Key: "idle"}).release()
	w.own(plan{Key: "held"})
	w.strand(plan{Key: "stranded"})
	w.unprove(plan{Key: "unproven"})
	w.strand(plan{Key: "unreadable"})
	w.damage("unreadable")
	before := w.bytes()
	all := w.list()
	require.Equal(t, before, w.bytes()) // I8
	require.Equal(t, map[string]ownership.State{
		"idle":                               ownership.StateIdle,
		"held":                               ownership.StateHeld,
		"stranded":                           ownership.StateStranded,
		"unproven":                           ownership.StateUnproven,
		target("unreadable").Digest.String(): ownership.StateUnreadable,
	}, all)
	require.Len(t, w.list(ownership.StateStranded, ownership.StateHeld), 2)
}

func TestListOfNoStore(t *testing.T) {
	w := newWorld(t)
	require.Empty(t, w.list())
	require.NoDirExists(t, w.path)
}

func TestListHoldsBackWhatWasNeverAcquired(t *testing.T) {
	w := newWorld(t)
	hold, err := w.store.Hold(t.Context(), target("tried").Digest, 1)
	require.NoError(t, err)
	require.NoError(t, hold.Drop())
	require.Empty(t, w.list())
	require.Len(t, w.list(ownership.StateVacant), 1)
}

func TestRowHasTheMembersOfTheContract(t *testing.T) {
	w := newWorld(t)
	w.strand(plan{Key: "k"})
	for row, err := range admin.List(t.Context(), w.store, nil) {
		require.NoError(t, err)
		b, err := json.Marshal(row)
		require.NoError(t, err)
		var members map[string]any
		require.NoError(t, json.Unmarshal(b, &members))
		require.Len(t, members, 8)
		for _, name := range []string{"key", "keyDigest", "state", "revision", "generation", "owner", "session", "pulse"} {
			require.Contains(t, members, name)
		}
	}
}

// A list that was cut short says so. There are more sessions than are inspected at once:
// those may have been when the first is told.
func TestListThatIsCancelledSaysSo(t *testing.T) {
	w := newWorld(t)
	keys := many(160)
	w.own(plan{Key: keys[0], More: keys[1:]}).kill()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	good := 0
	var last error
	for _, err := range admin.List(ctx, w.store, nil) {
		cancel()
		if last = err; err == nil {
			good++
		}
	}
	require.Less(t, good, len(keys))
	require.ErrorIs(t, last, context.Canceled)
}

func many(n int) []string {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = fmt.Sprintf("k%d", i)
	}
	return keys
}

func TestListGoesOnPastWhatItCannotRead(t *testing.T) {
	w := newWorld(t)
	keys := many(100)
	w.own(plan{Key: keys[0], More: keys[1:]}).kill()
	bad := target("k7")
	dir := w.file("k7", "")
	require.NoError(t, os.RemoveAll(dir))
	require.NoError(t, os.Symlink("/", dir))
	good, failed := 0, 0
	for row, err := range admin.List(t.Context(), w.store, nil) {
		if err != nil {
			failed++
			require.Equal(t, bad.Digest, row.KeyDigest)
			continue
		}
		good++
	}
	require.Equal(t, len(keys)-1, good)
	require.Equal(t, 1, failed)
}

func TestListCanBeLeftEarly(t *testing.T) {
	w := newWorld(t)
	w.own(plan{Key: "a", More: []string{"b", "c"}}).kill()
	for range admin.List(t.Context(), w.store, nil) {
		break
	}
}

func TestWatchTellsEachChangeOnce(t *testing.T) {
	w := newWorld(t)
	w.own(plan{Key: "before"}).release()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	changes := make(chan admin.Change)
	go func() {
		defer close(changes)
		for c, err := range admin.Watch(ctx, w.store, admin.Watching{Every: time.Millisecond}) {
			if err == nil {
				changes <- c
			}
		}
	}()
	expect := func(key string, was *ownership.State, is ownership.State) {
		t.Helper()
		c := <-changes
		require.Equal(t, key, *c.Key)
		require.Equal(t, is, c.State)
		require.Equal(t, was, c.PreviousState)
		require.NotNil(t, c.Revision)
	}
	expect("before", nil, ownership.StateIdle)
	o := w.own(plan{Key: "k"})
	expect("k", new(ownership.StateVacant), ownership.StateHeld)
	o.kill()
	c := <-changes
	if c.State == ownership.StateUnproven { // a dying process lets go of its locks before it is gone
		c = <-changes
	}
	require.Equal(t, ownership.StateStranded, c.State)
	i := w.inspect(target("k"))
	w.recovered(admin.Recovery{Target: target("k"), Expect: *i.Revision, Consent: admin.Force})
	expect("k", new(ownership.StateStranded), ownership.StateIdle)
	cancel()
	for range changes {
	}
}
