package admin_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/admin"
	"holdfast/admin/evidence"
	"holdfast/ownership"
)

const passConsent = admin.PassRecover | admin.PassMassDeath

// strandTogether leaves n sessions behind one dead owner.
func (w *world) strandTogether(n int) (keys []string) {
	w.Helper()
	for i := range n {
		keys = append(keys, fmt.Sprintf("many/%d", i))
	}
	w.own(plan{Key: keys[0], More: keys[1:]}).kill()
	return keys
}

// fewAtOnce leaves this process so few descriptors that a pass or a batch has some 20 sessions under way at once, so
// that there are more of them even where it goes on for a few after it was interrupted.
func fewAtOnce(t *testing.T) {
	t.Helper()
	var limit syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	few := limit
	few.Cur = 128
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few))
	t.Cleanup(func() { require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit)) })
}

// Many are recovered at once, and told of by digest as if one came after the other; what
// happens to one of them meanwhile is its own row.
func TestReconcileManyAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	keys := w.strandTogether(12)
	var told []ownership.Digest
	for r, err := range admin.Reconcile(t.Context(), w.store, passConsent) {
		require.NoError(t, err)
		require.True(t, r.Done)
		require.NoError(t, r.Unarchived)
		require.NotNil(t, r.Receipt)
		told = append(told, r.KeyDigest)
	}
	require.Len(t, told, len(keys))
	require.True(t, slices.IsSortedFunc(told, func(a, b ownership.Digest) int { return bytes.Compare(a[:], b[:]) }))
	w.requireRecoveredOnce(keys)
	require.Zero(t, w.reconcile(passConsent).receipts())
}

// Whatever was recovered when a pass is interrupted has been told of, and at most one
// failure is.
func TestInterruptedPassTellsWhatItRecovered(t *testing.T) {
	w := newWorld(t)
	keys := w.strandTogether(64)
	fewAtOnce(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	told, failures := map[string]bool{}, 0
	for r, err := range admin.Reconcile(ctx, w.store, passConsent) {
		if err != nil {
			failures++
			continue
		}
		require.NotNil(t, r.Receipt)
		told[*r.Key] = true
		cancel()
	}
	require.LessOrEqual(t, failures, 1)
	require.Less(t, len(told), len(keys), "it ended early")
	for _, key := range keys {
		require.Equal(t, told[key], w.inspect(target(key)).State == ownership.StateIdle, key)
	}
}

// With few descriptors fewer are looked at once, and none fails for want of one.
func TestFewDescriptorsAreEnoughForMany(t *testing.T) {
	w := newWorld(t)
	keys := w.strandTogether(128)
	fewAtOnce(t)
	for row, err := range admin.List(t.Context(), w.store, nil) {
		require.NoError(t, err, row.Key)
	}
	rows, failed := w.reconcileWith(w.store, passConsent, nil)
	require.Empty(t, failed)
	require.Equal(t, len(keys), rows.receipts())
}

// Work is saved several at a time, each into a snapshot of its own before its session is
// freed; one that cannot be saved keeps nobody else from it.
func TestReconcileSavesSeveralAtOnce(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	w := newWorld(t)
	for n := range 5 {
		dir := workIn(t)
		w.strand(plan{Key: fmt.Sprint("work", n), Facts: ownership.Facts{Worktree: &dir}})
	}
	w.strand(plan{Key: "lost", Facts: ownership.Facts{Worktree: new("/no/such/tree")}})
	w.strand(plan{Key: "plain"})
	rows, failed := w.reconcileWith(w.store, passConsent, nil)
	require.Len(t, failed, 1)
	require.Contains(t, failed, "lost")
	require.Equal(t, 6, rows.receipts())
	dirs := map[string]bool{}
	for n := range 5 {
		kept := rows[fmt.Sprint("work", n)].Receipt.Snapshot
		v, err := evidence.Verify(t.Context(), *kept.Dir, nil)
		require.NoError(t, err)
		require.Empty(t, v.Differences)
		require.Equal(t, kept.Manifest, v.Manifest)
		dirs[*kept.Dir] = true
	}
	require.Len(t, dirs, 5)
	require.Nil(t, rows["plain"].Receipt.Snapshot)
}
