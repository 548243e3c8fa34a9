package settle_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/admin/settle"
	"holdfast/lease"
	"holdfast/ownership"
)

// pruned collects what becomes of each session, by its key.
func pruned(t *testing.T, s lease.Store, p settle.Pruning) map[string]settle.Action {
	t.Helper()
	all := map[string]settle.Action{}
	for row, err := range settle.Prune(t.Context(), s, p) {
		require.NoError(t, err)
		require.Equal(t, row.Action == settle.ActionKeep, row.Why != "")
		all[*row.Key] = row.Action
	}
	return all
}

func (w *world) at(name string) *world {
	w.Helper()
	k, err := ownership.ParseKey(name)
	require.NoError(w, err)
	other := *w
	other.key = k
	return &other
}

func TestPrune(t *testing.T) {
	w := newWorld(t)
	aged := func(name string, leave func(*world)) *world {
		x := w.at(name)
		leave(x)
		v := x.verdict(settle.DecisionDone)
		v.WrittenAt = ownership.At(time.Now().Add(-2 * time.Hour))
		x.set(v)
		return x
	}
	old := aged("old", (*world).idle)
	unsettled := aged("unsettled", (*world).strand)
	superseded := aged("superseded", (*world).idle)
	superseded.strand()
	garbage := aged("garbage", (*world).idle)
	require.NoError(t, os.WriteFile(garbage.file(), []byte("{"), 0o600))
	unreadable := aged("unreadable", (*world).idle)
	young := w.at("young")
	young.idle()
	young.set(young.verdict(settle.DecisionDone))
	w.at("without").idle()
	want := map[string]settle.Action{
		"old": settle.ActionRemove, "superseded": settle.ActionRemove, "unsettled": settle.ActionKeep,
		"garbage": settle.ActionKeep, "unreadable": settle.ActionRemove,
	}

	p := settle.Pruning{Before: ownership.At(time.Now().Add(-time.Hour)), DryRun: true}
	before := w.bytes()
	require.Equal(t, want, pruned(t, w.store, p))
	require.Equal(t, before, w.bytes(), "I8")

	p.DryRun = false
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(unreadable.file()), "record.json"), []byte("{"), 0o600))
	rows := map[ownership.Digest]settle.Action{}
	for row, err := range settle.Prune(t.Context(), w.store, p) {
		require.NoError(t, err)
		rows[row.KeyDigest] = row.Action
	}
	require.Equal(t, settle.ActionKeep, rows[unreadable.key.Digest()], "nobody knows what is settled there")
	for _, x := range []*world{old, superseded} {
		require.NoFileExists(t, x.file())
	}
	for _, x := range []*world{unsettled, garbage, unreadable, young} {
		require.FileExists(t, x.file())
	}
}

// It goes on past what it cannot read, and leaves a planted link alone.
func TestPruneGoesOn(t *testing.T) {
	w := newWorld(t)
	a, b := w.at("a"), w.at("b")
	a.idle()
	b.idle()
	b.set(b.verdict(settle.DecisionDone))
	require.NoError(t, os.RemoveAll(filepath.Dir(a.file())))
	require.NoError(t, os.Symlink(t.TempDir(), filepath.Dir(a.file())))
	removed, failed := 0, 0
	for _, err := range settle.Prune(t.Context(), w.store, settle.Pruning{Before: ownership.At(time.Now().Add(time.Hour))}) {
		if err != nil {
			failed++
		} else {
			removed++
		}
	}
	require.Equal(t, []int{1, 1}, []int{removed, failed})
	require.NoFileExists(t, b.file())
}
