package killpoint_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/reliability/actor"
	"holdfast/internal/reliability/killpoint"
	"holdfast/internal/reliability/lab"
	"holdfast/internal/testkit"
)

func TestMain(m *testing.M) {
	actor.Main()
	os.Exit(m.Run())
}

// I5, I6, I9, I11: a process that is killed anywhere leaves a store that tells the truth.
func TestKillAnywhere(t *testing.T) {
	if why := lab.HasStrace(); why != "" {
		testkit.Skip(t, why)
	}
	r, err := killpoint.Run(t.Context(), lab.Plan{Seed: 1, Rounds: testkit.Rounds(8, 0), Jobs: 2})
	require.NoError(t, err)
	t.Log(r)
	require.Empty(t, r.Faults())
	require.Positive(t, r.Figure("kills"))
}

// I1: a record is in force whole or not at all.
func TestKillEveryWriteOfAPublish(t *testing.T) {
	if why := lab.HasStrace(); why != "" {
		testkit.Skip(t, why)
	}
	r, err := killpoint.Changes(t.Context(), lab.Plan{Seed: 1, Jobs: 2, Only: "next acquire"})
	require.NoError(t, err)
	t.Log(r)
	require.Empty(t, r.Faults())
	require.Positive(t, r.Figure("kills"))
}
