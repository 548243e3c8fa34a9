package preempt_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/reliability/actor"
	"holdfast/internal/reliability/lab"
	"holdfast/internal/reliability/preempt"
	"holdfast/internal/testkit"
)

func TestMain(m *testing.M) {
	actor.Main()
	os.Exit(m.Run())
}

// I3, I4, I6, I7: whoever comes in between, one owner at a time, and nothing is lost.
func TestStoppedAnywhere(t *testing.T) {
	if why := lab.HasStrace(); why != "" {
		testkit.Skip(t, why)
	}
	r, err := preempt.Run(t.Context(), lab.Plan{Seed: 1, Rounds: testkit.Rounds(2, 300), Jobs: 2})
	require.NoError(t, err)
	t.Log(r)
	require.Empty(t, r.Faults())
	require.Positive(t, r.Figure("stops"))
}

// I4: from the moment at which a record says who owns the session, everybody sees him.
func TestAnOwnerIsNeverSeenWithoutItsLock(t *testing.T) {
	if why := lab.HasStrace(); why != "" {
		testkit.Skip(t, why)
	}
	r, err := preempt.Seen(t.Context(), lab.Plan{Seed: 1, Jobs: 2, Only: "next acquire"})
	require.NoError(t, err)
	t.Log(r)
	require.Empty(t, r.Faults())
	require.Positive(t, r.Figure("stops"))
}
