package ownership_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/ownership"
)

// Every pair of what was read and what was found out, and what may be done then. An
// owner that any probe can see is never recovered (I7).
func TestJudge(t *testing.T) {
	active := fullRecord()
	idle := must(ownership.ReleaseAcknowledge(current(t, active)))(t)
	forced := must(ownership.Recover(current(t, active), someForce()))(t)
	const (
		anyVerdict = ownership.Verdict("any")
		odd        = ownership.Verdict("dead")
	)
	rows := []struct {
		name    string
		reading ownership.Reading
		verdict ownership.Verdict
		state   ownership.State
		acquire ownership.Reason
		recover ownership.Reason
	}{
		{"nothing", ownership.Reading{}, anyVerdict, ownership.StateVacant, "", ownership.ReasonNothingToRecover},
		{"idle", ownership.Reading{Record: &idle}, anyVerdict, ownership.StateIdle, "", ownership.ReasonNothingToRecover},
		{"forced", ownership.Reading{Record: &forced}, anyVerdict, ownership.StateIdle, "", ownership.ReasonNothingToRecover},
		{"no record", ownership.Reading{Fault: errors.New("torn")}, anyVerdict, ownership.StateUnreadable, ownership.ReasonUnreadableRecord, ""},
		{"both", ownership.Reading{Record: &idle, Fault: errors.New("torn")}, anyVerdict, ownership.StateUnreadable, ownership.ReasonUnreadableRecord, ""},
		{"alive", ownership.Reading{Record: &active}, ownership.Alive, ownership.StateHeld, ownership.ReasonActiveOwner, ownership.ReasonActiveOwner},
		{"gone", ownership.Reading{Record: &active}, ownership.Gone, ownership.StateStranded, ownership.ReasonRecoveryRequired, ""},
		{"unproven", ownership.Reading{Record: &active}, ownership.Unproven, ownership.StateUnproven, ownership.ReasonRecoveryRequired, ""},
		{"never probed", ownership.Reading{Record: &active}, "", ownership.StateUnproven, ownership.ReasonRecoveryRequired, ""},
		{"odd verdict", ownership.Reading{Record: &active}, odd, ownership.StateUnproven, ownership.ReasonRecoveryRequired, ""},
	}
	for _, row := range rows {
		verdicts := []ownership.Verdict{row.verdict}
		if row.verdict == anyVerdict {
			verdicts = []ownership.Verdict{"", ownership.Alive, ownership.Gone, ownership.Unproven, odd}
		}
		for _, v := range verdicts {
			t.Run(row.name+"/"+string(v), func(t *testing.T) {
				state := ownership.Judge(row.reading, v)
				require.Equal(t, row.state, state)
				require.Contains(t, ownership.States, state)
				require.Equal(t, row.acquire, state.AcquireRefusal())
				require.Equal(t, row.recover, state.RecoveryRefusal())
			})
		}
	}
}

// A state that nobody knows allows nothing.
func TestUnknownStateRefusesAcquire(t *testing.T) {
	for _, s := range []ownership.State{"", "paused"} {
		require.Equal(t, ownership.ReasonRecoveryRequired, s.AcquireRefusal())
	}
}

func TestNeedsProbe(t *testing.T) {
	active := fullRecord()
	idle := must(ownership.ReleaseAcknowledge(current(t, active)))(t)
	require.True(t, ownership.Reading{Record: &active}.NeedsProbe())
	require.False(t, ownership.Reading{Record: &idle}.NeedsProbe())
	require.False(t, ownership.Reading{}.NeedsProbe())
	require.False(t, ownership.Reading{Fault: errors.New("torn")}.NeedsProbe())
}
