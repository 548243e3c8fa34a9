package forkwindow_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/reliability/forkwindow"
	"holdfast/internal/reliability/lab"
	"holdfast/internal/testkit"
)

func TestNoSpuriousRefusal(t *testing.T) {
	r, err := forkwindow.Run(t.Context(), lab.Plan{Seed: 1, Rounds: testkit.Rounds(150, 20_000)})
	require.NoError(t, err)
	t.Log(r)
	require.Empty(t, r.Faults())
	require.Positive(t, r.Figure("children"))
}
