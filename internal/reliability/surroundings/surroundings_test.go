package surroundings_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/reliability/actor"
	"holdfast/internal/reliability/lab"
	"holdfast/internal/reliability/surroundings"
	"holdfast/internal/testkit"
)

func TestMain(m *testing.M) {
	actor.Main()
	os.Exit(m.Run())
}

func TestSurroundings(t *testing.T) {
	if why := surroundings.Missing(); why != "" {
		testkit.Skip(t, why)
	}
	r, err := surroundings.Run(t.Context(), lab.Plan{Seed: 1, Rounds: testkit.Rounds(4, 0), Jobs: 2})
	require.NoError(t, err)
	t.Log(r)
	require.Empty(t, r.Faults())
}
