package mutants_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/reliability/actor"
	"holdfast/internal/reliability/mutants"
)

func TestMain(m *testing.M) {
	actor.Main()
	os.Exit(m.Run())
}

// Code that changes takes its mutants along. The gate itself runs in the lanes.
func TestEveryMutantFitsTheCode(t *testing.T) {
	all, err := mutants.All()
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(all), 20)
	for _, m := range all {
		source, err := m.Source("../../..")
		require.NoError(t, err)
		require.NotEmpty(t, source)
	}
}
