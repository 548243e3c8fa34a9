package admin_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/admin"
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
	t.Parallel()
	w := newWorld(t)
	keys := w.strandTogether(3 * 128)
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
