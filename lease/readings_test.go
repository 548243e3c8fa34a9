package lease_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/lease"
	"holdfast/ownership"
)

// What a caller does to an inspection is its own affair: the next one says what the bytes
// say.
func TestAnInspectionIsTheCallersOwn(t *testing.T) {
	s, _ := newStore(t)
	l := acquire(t, s, "k", lease.Owner{})
	first := inspect(t, s, "k")
	first.Record.Generation = 99
	first.Record.Owner.Program = "somebody else"
	second := inspect(t, s, "k")
	require.Equal(t, l.Record(), *second.Record)
	require.Equal(t, ownership.StateHeld, second.State)
}
