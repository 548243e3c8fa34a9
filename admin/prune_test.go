package admin_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/admin"
	"holdfast/internal/journal"
	"holdfast/lease"
	"holdfast/ownership"
)

func (w *world) prune(p admin.Pruning) []admin.Pruned {
	w.Helper()
	var all []admin.Pruned
	for found, err := range admin.Prune(w.Context(), w.store, p) {
		require.NoError(w, err)
		all = append(all, found)
	}
	return all
}

// pruned prunes everything and returns what became of files, as "action name". The
// preview must say the same and change nothing (I8).
func (w *world) pruned() []string {
	w.Helper()
	before := w.bytes()
	preview := filesIn(w.prune(admin.Pruning{}))
	require.Equal(w, before, w.bytes())
	done := filesIn(w.prune(admin.Pruning{Mode: admin.PruneDo}))
	require.Equal(w, preview, done)
	return done
}

func filesIn(all []admin.Pruned) []string {
	var words []string
	for _, p := range all {
		if p.Path != nil {
			words = append(words, string(p.Action)+" "+filepath.Base(*p.Path))
		}
	}
	slices.Sort(words)
	return words
}

func (w *world) plant(key, name string) {
	w.Helper()
	require.NoError(w, os.WriteFile(w.file(key, name), []byte("unfinished"), 0o600))
}

func (w *world) state(key string) ownership.State {
	w.Helper()
	return w.inspect(target(key)).State
}

// What a displaced owner left is removed; the record stays, and the generation goes on
// from it (I2).
func TestPruneRemovesWhatTheDeadLeft(t *testing.T) {
	w := newWorld(t)
	i := w.strand(plan{Key: "k"})
	w.recovered(admin.Recovery{Target: target("k"), Expect: *i.Revision, Consent: admin.Force})
	w.plant("k", "next.1.json")
	w.plant("k", "life.3") // a claimant that backed off
	w.plant("k", "next.3.json")
	w.plant("k", "pulse.json.0123456789abcdef")
	before := w.told(target("k"))
	require.Equal(t, []string{
		"remove life.1", "remove life.3", "remove next.1.json", "remove next.3.json", "remove pulse.json.0123456789abcdef",
	}, w.pruned())
	require.Empty(t, w.pruned())
	require.Equal(t, before, w.told(target("k")))
	require.Len(t, w.revs("k"), 1)
	l := acquired(w.store, "k", plan{})
	require.EqualValues(t, 3, l.Generation())
	require.NoError(t, l.Release(t.Context()))
}

// A session stays what it is: the lock files of an active generation are how its owner
// is told to be alive, or gone.
func TestPruneKeepsWhatTellsAnOwner(t *testing.T) {
	w := newWorld(t)
	held := w.own(plan{Key: "held", Survivor: true})
	w.strand(plan{Key: "stranded"})
	for _, key := range []string{"held", "stranded"} {
		w.plant(key, "next.1.json")
	}
	require.Equal(t, []string{"keep next.1.json", "remove next.1.json"}, w.pruned())
	require.FileExists(t, w.file("held", "next.1.json"))
	require.Equal(t, ownership.StateHeld, w.state("held"))
	require.Equal(t, ownership.StateStranded, w.state("stranded"))
	held.kill()
	require.Equal(t, []string{"remove next.1.json"}, w.pruned())
	require.Equal(t, ownership.StateHeld, w.state("held"), "its survivor holds it")
}

// Who holds a lock of a generation that is over, or one that has yet to come, keeps
// its names.
func TestPruneKeepsWhatSomebodyHolds(t *testing.T) {
	w := newWorld(t)
	w.cycle("k", 3)
	other := newHolder(t, w, "k")
	for _, g := range []ownership.Generation{2, 4} {
		drop := other.hold(g)
		name := "life." + map[ownership.Generation]string{2: "2", 4: "4"}[g]
		require.Equal(t, []string{"keep " + name}, w.pruned())
		drop()
		require.Equal(t, []string{"remove " + name}, w.pruned())
	}
	w.survivors()
}

// survivors displaces an owner whose descendant lives on.
func (w *world) survivors() {
	w.Helper()
	o := w.own(plan{Key: "s", Survivor: true})
	o.kill()
	i := w.inspect(target("s"))
	refs := []admin.ProcessRef{{PID: i.Liveness.Holders[0].PID, StartTicks: i.Liveness.Holders[0].StartTicks}}
	w.recovered(admin.Recovery{Target: target("s"), Expect: *i.Revision, Consent: admin.Force | admin.AcceptUnproven, Despite: refs})
	require.Equal(w, []string{"keep kin.1", "keep life.1"}, w.pruned())
	require.NoError(w, syscall.Kill(o.report.Survivor, syscall.SIGKILL))
	want := []string{"remove kin.1", "remove life.1"}
	w.eventually(func() bool { return slices.Equal(want, filesIn(w.prune(admin.Pruning{}))) })
	require.Equal(w, want, w.pruned())
}

// holder is another user of the store, in this process.
type holder struct {
	t     *testing.T
	store lease.Store
	key   string
}

func newHolder(t *testing.T, w *world, key string) holder { return holder{t, opened(w.path), key} }

func (h holder) hold(g ownership.Generation) (drop func()) {
	h.t.Helper()
	held, err := h.store.Hold(h.t.Context(), target(h.key).Digest, g)
	require.NoError(h.t, err)
	return func() { require.NoError(h.t, held.Drop()) }
}

// Of a session that cannot be read nobody knows what is in force.
func TestPruneKeepsWhatCannotBeRead(t *testing.T) {
	w := newWorld(t)
	w.cycle("k", 2)
	w.strand(plan{Key: "k"})
	require.NoError(t, os.Remove(w.file("k", "record.json")))
	w.damage("k")
	w.plant("k", "next.9.json")
	revs := w.revs("k")
	require.Equal(t, []string{"keep life.3", "keep next.9.json"}, w.pruned())
	require.Equal(t, revs, w.revs("k"))
}

// A record that was linked and never came into force is kept in the archive, apart
// from the chain.
func TestPruneSetsStraysAside(t *testing.T) {
	w := newWorld(t)
	w.cycle("k", 2)
	stray := w.stray("k")
	before := w.told(target("k"))
	require.Equal(t, []string{"remove rev." + stray.String() + ".json"}, w.pruned())
	require.Equal(t, before, w.told(target("k")))
	var kept []ownership.Revision
	for r, err := range journal.At(w.journal()).Strays(t.Context(), target("k").Digest) {
		require.NoError(t, err)
		kept = append(kept, r.Revision)
	}
	require.Equal(t, []ownership.Revision{stray}, kept)
}

// stray leaves what a publisher leaves that dies just before its record is in force.
func (w *world) stray(key string) ownership.Revision {
	w.Helper()
	i := w.inspect(target(key))
	k, err := ownership.ParseKey(key)
	require.NoError(w, err)
	r, err := ownership.Acquire(i.Current(), ownership.Claim{Key: k, Owner: *i.Record.Owner})
	require.NoError(w, err)
	b, err := ownership.Encode(r)
	require.NoError(w, err)
	revision := ownership.RevisionOf(b)
	require.NoError(w, os.WriteFile(w.file(key, "rev."+revision.String()+".json"), b, 0o600))
	return revision
}

// What is younger than asked for is left alone.
func TestPruneOlderThan(t *testing.T) {
	w := newWorld(t)
	w.cycle("k", 3)
	w.plant("k", "life.1")
	hour := admin.Pruning{Mode: admin.PruneDo, Before: time.Now().Add(-time.Hour)}
	before := w.bytes()
	require.Empty(t, w.prune(hour))
	require.Equal(t, before, w.bytes())

	old := time.Now().Add(-2 * time.Hour)
	entries := w.told(target("k"))
	for _, e := range entries[:3] {
		require.NoError(t, os.Chtimes(w.file("k", "rev."+e.Revision.String()+".json"), old, old))
	}
	require.NoError(t, os.Chtimes(w.file("k", "life.1"), old, old))
	done := w.prune(hour)
	require.Equal(t, []string{"remove life.1"}, filesIn(done))
	require.Equal(t, admin.Pruned{Key: done[0].Key, KeyDigest: done[0].KeyDigest, Action: admin.PruneArchive, Kind: "record", Count: 3}, done[0])
	require.Len(t, w.revs("k"), 3)
	require.Equal(t, "acquire release acquire release acquire release", eventsIn(w.told(target("k"))))
}

// A prune is remembered, unless it had nothing to do.
func TestAPruneIsRemembered(t *testing.T) {
	w := newWorld(t)
	w.cycle("k", 2)
	w.nextMoment()
	for range 2 {
		w.prune(admin.Pruning{Mode: admin.PruneDo, Actor: "ana@desk"})
	}
	all := w.all(time.Time{})
	require.Equal(t, 1, strings.Count(eventsIn(all), admin.EventPrune))
	last := all[len(all)-1]
	require.Equal(t, "ana@desk", *last.Actor)
	require.Equal(t, "records archived: 3; leftovers removed: 0", *last.Reason)
}

// Archives whose makers died are removed, those being made are not.
func TestPruneRemovesUnfinishedArchives(t *testing.T) {
	w := newWorld(t)
	w.cycle("k", 1)
	const dead, alive = "journal.db.0123456789abcdef", "journal.db.fedcba9876543210"
	for _, name := range []string{dead, alive} {
		require.NoError(t, os.WriteFile(filepath.Join(w.path, name), nil, 0o600))
	}
	lockArchive(t, filepath.Join(w.path, alive))
	require.Equal(t, []string{"remove " + dead}, w.pruned())
	require.FileExists(t, filepath.Join(w.path, alive))
}

// An archive that cannot be used is asked once; what does not need it goes on.
func TestPruneWithoutAnArchive(t *testing.T) {
	w := newWorld(t)
	for _, key := range []string{"a", "b", "c"} {
		w.cycle(key, 2)
		w.plant(key, "life.1")
	}
	require.NoError(t, os.WriteFile(w.journal(), []byte("garbage"), 0o600))
	var errs []error
	removed := 0
	for found, err := range admin.Prune(context.Background(), w.store, admin.Pruning{Mode: admin.PruneDo}) {
		if err != nil {
			errs = append(errs, err)
		} else if found.Action == admin.PruneRemove {
			removed++
		}
	}
	require.Len(t, errs, 1)
	require.ErrorIs(t, errs[0], journal.ErrDamaged)
	require.Equal(t, 3, removed)
	require.Len(t, w.revs("a"), 4)
}
