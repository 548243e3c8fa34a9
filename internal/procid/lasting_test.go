package procid

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What cannot be read yet is asked again, and nobody can change what others will get.
func TestWhatLastsIsReadUntilItIsKnown(t *testing.T) {
	var l lasting[int]
	require.Nil(t, l.get(func() *int { return nil }))
	first := l.get(func() *int { return new(7) })
	require.Equal(t, 7, *first)
	*first = 8
	require.Equal(t, 7, *l.get(func() *int { t.Error("it is known"); return nil }))
}
