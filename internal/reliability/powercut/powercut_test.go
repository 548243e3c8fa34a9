package powercut_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/reliability/actor"
	"holdfast/internal/reliability/lab"
	"holdfast/internal/reliability/powercut"
	"holdfast/internal/testkit"
)

func TestMain(m *testing.M) {
	actor.Main()
	os.Exit(m.Run())
}

// I9: what somebody was told survives the power, on real file systems.
func TestPowerCuts(t *testing.T) {
	if os.Geteuid() != 0 {
		testkit.Skip(t, "only root may mount")
	}
	if why := powercut.Missing(); why != "" {
		testkit.Skip(t, why)
	}
	r, err := powercut.Run(t.Context(), lab.Plan{Seed: 1, Rounds: testkit.Rounds(4, 80), Jobs: 2})
	require.NoError(t, err)
	t.Log(r)
	require.Empty(t, r.Faults())
	require.Positive(t, r.Figure("cuts"))
}
