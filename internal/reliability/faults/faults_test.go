package faults_test

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/reliability/actor"
	"holdfast/internal/reliability/faults"
	"holdfast/internal/reliability/lab"
	"holdfast/internal/testkit"
)

func TestMain(m *testing.M) {
	actor.Main()
	os.Exit(m.Run())
}

// I8, I9: what is answered is the truth, whatever failed.
func TestWhateverFails(t *testing.T) {
	if why := lab.HasStrace(); why != "" {
		testkit.Skip(t, why)
	}
	lanes := []struct {
		name        string
		run         func(context.Context, lab.Plan) (*lab.Report, error)
		quick, long int
		figure      string
	}{
		{"errors", faults.Errors, 12, 500, "errors"},
		{"cleanups", faults.Cleanups, 1, 50, "kills"},
		{"lies", faults.Lies, 40, 0, "lies"},
		{"shorts", faults.Shorts, 10, 500, "short writes"},
	}
	for _, l := range lanes {
		t.Run(l.name, func(t *testing.T) {
			r, err := l.run(t.Context(), lab.Plan{Seed: 1, Rounds: testkit.Rounds(l.quick, l.long), Jobs: 2})
			require.NoError(t, err)
			t.Log(r)
			require.Empty(t, r.Faults())
			require.Positive(t, r.Figure(l.figure))
		})
	}
}
