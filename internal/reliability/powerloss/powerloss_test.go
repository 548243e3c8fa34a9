package powerloss_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/reliability/actor"
	"holdfast/internal/reliability/lab"
	"holdfast/internal/reliability/powerloss"
	"holdfast/internal/testkit"
)

func TestMain(m *testing.M) {
	actor.Main()
	os.Exit(m.Run())
}

// I1, I2, I9, I11: the power may fail at any moment, and again while people look after
// what it left.
func TestPowerMayFailAtAnyMoment(t *testing.T) {
	if why := lab.HasStrace(); why != "" {
		testkit.Skip(t, why)
	}
	r, err := powerloss.Run(t.Context(), lab.Plan{Seed: 1, Rounds: testkit.Rounds(1, 60), Jobs: 2})
	require.NoError(t, err)
	t.Log(r)
	require.Empty(t, r.Faults())
	require.Positive(t, r.Figure("states"))
	require.Positive(t, r.Figure("crashed again"))
}
