package linear_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/reliability/actor"
	"holdfast/internal/reliability/lab"
	"holdfast/internal/reliability/linear"
	"holdfast/internal/testkit"
)

func TestMain(m *testing.M) {
	actor.Main()
	os.Exit(m.Run())
}

// I2, I3, I6, I7: there is an order of what everybody did that explains what each was
// told.
func TestThereIsAnOrder(t *testing.T) {
	r, err := linear.Run(t.Context(), lab.Plan{Seed: 1, Rounds: testkit.Rounds(60, 3000)})
	require.NoError(t, err)
	t.Log(r)
	require.Empty(t, r.Faults())
	require.Positive(t, r.Figure("kills"))
	require.Positive(t, r.Figure("acquired"))
}
