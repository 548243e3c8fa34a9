package lease_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/lease"
	"holdfast/ownership"
)

// No two attempts have the same operation id, so that no two records are the same.
func TestOperationIDsAreFresh(t *testing.T) {
	s, _ := newStore(t)
	seen := map[ownership.OperationID]bool{}
	for range 4 {
		l := acquire(t, s, "k", lease.Owner{})
		id := l.Record().Owner.OperationID
		require.NotZero(t, id)
		require.False(t, seen[id])
		seen[id] = true
		require.NoError(t, l.Release(t.Context()))
	}
}
