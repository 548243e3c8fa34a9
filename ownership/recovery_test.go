package ownership_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/ownership"
)

// The marker says what is known and what is not, and the session outlives its owner.
func TestRecoverMarker(t *testing.T) {
	c := current(t, fullRecord())
	f := someForce()
	f.Liveness = ownership.Unproven
	f.Survivors = []ownership.Survivor{{PID: 7, StartTicks: 8, Program: "ssh-agent"}}
	r := must(ownership.Recover(c, f))(t)

	id, generation := c.Record.Owner.OperationID, c.Record.Generation
	require.Equal(t, &ownership.ForcedRecovery{
		PreviousRevision: c.Revision, DisplacedOperationID: &id, DisplacedGeneration: &generation,
		RecoveredAt: late, Actor: "ana@devbox", Reason: "OOM at 13:52",
		Liveness: ownership.Unproven, Survivors: f.Survivors,
		Cleanup: ownership.CleanupUnproved, Outcome: ownership.OutcomeUnknown,
	}, r.LastForcedRecovery)
	require.Equal(t, ownership.ReleaseForced, *r.Release)
	require.Equal(t, c.Record.Owner, r.Owner)
	require.Equal(t, c.Record.Session, r.Session)
	require.Equal(t, generation+1, r.Generation)
}

func TestRecoverKeepsWhatItWasTold(t *testing.T) {
	f := someForce()
	f.Outcome, f.Evidence = ownership.OutcomeRequeued, new(ownership.Digest{5}.String())
	r := must(ownership.Recover(current(t, fullRecord()), f))(t)
	require.Equal(t, f.Outcome, r.LastForcedRecovery.Outcome)
	require.Equal(t, f.Evidence, r.LastForcedRecovery.Evidence)
	require.NotNil(t, r.LastForcedRecovery.Survivors)
}

// The last forced recovery replaces the one before.
func TestRecoverReplacesMarker(t *testing.T) {
	key := mustKey(t, "web/42")
	first := current(t, must(ownership.Recover(current(t, fullRecord()), someForce()))(t))
	owned := current(t, acquired(t, first, claimOf(key, 5)))
	second := must(ownership.Recover(owned, someForce()))(t)
	require.Equal(t, owned.Revision, second.LastForcedRecovery.PreviousRevision)
	require.Equal(t, ownership.OperationID{5}, *second.LastForcedRecovery.DisplacedOperationID)
}

// An owner that a probe saw alive cannot be written down as displaced (I7).
func TestRecoverOfAliveOwnerIsNoRecord(t *testing.T) {
	for _, v := range []ownership.Verdict{ownership.Alive, "", "dead"} {
		f := someForce()
		f.Liveness = v
		_, err := ownership.Encode(must(ownership.Recover(current(t, fullRecord()), f))(t))
		requireFieldError(t, err, "lastForcedRecovery.liveness")
	}
}

func TestQuarantine(t *testing.T) {
	d, displaced := mustKey(t, "web/42").Digest(), ownership.Revision{7}
	r := ownership.Quarantine(d, displaced, 1796000000, someForce())
	current(t, r)
	require.Nil(t, r.Key)
	require.Nil(t, r.Owner)
	require.Zero(t, r.Session)
	require.Equal(t, d, r.KeyDigest)
	require.Equal(t, displaced, *r.PreviousRevision)
	require.Equal(t, displaced, r.LastForcedRecovery.PreviousRevision)
	require.Nil(t, r.LastForcedRecovery.DisplacedOperationID)
	require.Nil(t, r.LastForcedRecovery.DisplacedGeneration)
	require.EqualValues(t, 1796000000, r.Generation)

	for _, generation := range []ownership.Generation{0, ownership.MaxGeneration + 1} {
		_, err := ownership.Encode(ownership.Quarantine(d, displaced, generation, someForce()))
		requireFieldError(t, err, "generation")
	}
}

func requireFieldError(t *testing.T, err error, field string) {
	t.Helper()
	var bad *ownership.FieldError
	require.ErrorAs(t, err, &bad)
	require.Equal(t, field, bad.Field)
}
