package settle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/admin/settle"
	"holdfast/ownership"
)

// A machine that must not read transcripts gathers and settles without one, and leaves
// open what no verdict decides.
func TestGatherVerdictReadsNoTranscript(t *testing.T) {
	w := newWorld(t)
	w.strand()
	w.says("TASK_DONE\n")
	e, known, err := settle.GatherVerdict(t.Context(), w.store, w.inspect())
	require.NoError(t, err)
	require.True(t, known)
	require.Nil(t, e.Transcript)
	require.Empty(t, e.Notes)
	o := settle.SettleByVerdict([]settle.Execution{e})[0]
	require.Equal(t, ownership.OutcomeUnknown, o.Outcome)
	require.Equal(t, ownership.OutcomeDone, w.settled().Outcome, "elsewhere it is read")

	w.set(w.verdict(settle.DecisionSkipped))
	e, _, err = settle.GatherVerdict(t.Context(), w.store, w.inspect())
	require.NoError(t, err)
	require.Equal(t, ownership.OutcomeSkipped, settle.SettleByVerdict([]settle.Execution{e})[0].Outcome)
}
