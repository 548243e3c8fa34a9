package ownership_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/ownership"
)

// requireSameDecoded holds the short way to the long one: it may leave bytes to it, and
// accepts nothing that it does not (I1).
func requireSameDecoded(t testing.TB, b []byte) {
	t.Helper()
	r, ok := ownership.DecodePlain(b)
	if !ok || r.Validate() != nil {
		return
	}
	long, err := ownership.DecodeAny(b)
	require.NoError(t, err, "%s", b)
	require.Equal(t, long, r)
}

// plainRecords have every member, set and null.
func plainRecords() []ownership.Record {
	full, bare, forced := fullRecord(), fullRecord(), fullRecord()
	owner := *bare.Owner
	owner.HostID, owner.BootID, owner.PIDNamespace, owner.StartTicks = nil, nil, nil, nil
	bare.Owner, bare.Session, bare.Generation, bare.PreviousRevision = &owner, ownership.Session{}, 1, nil
	operation, generation := forced.Owner.OperationID, forced.Generation-1
	forced.State, forced.Release = ownership.RecordIdle, new(ownership.ReleaseForced)
	forced.LastForcedRecovery = &ownership.ForcedRecovery{
		PreviousRevision: *forced.PreviousRevision, DisplacedOperationID: &operation, DisplacedGeneration: &generation,
		RecoveredAt: late, Actor: "ana@devbox", Reason: "OOM at 13:52", Liveness: ownership.Gone,
		Survivors: []ownership.Survivor{}, Cleanup: ownership.CleanupUnproved, Outcome: ownership.OutcomeDone,
	}
	return []ownership.Record{full, bare, forced}
}

// What most records are must not need the long way.
func TestPlainRecordsAreReadPlainly(t *testing.T) {
	for _, want := range plainRecords() {
		b, err := ownership.Encode(want)
		require.NoError(t, err)
		r, ok := ownership.DecodePlain(b)
		require.True(t, ok, "%s", b)
		require.Equal(t, want, r)
	}
}

// I1: of each record, every byte is changed, left out, and given twice.
func TestPlainlyReadIsTheOneEncoding(t *testing.T) {
	for _, r := range plainRecords() {
		b, err := ownership.Encode(r)
		require.NoError(t, err)
		for i := range b {
			for _, c := range []byte("\x00\n \"+,-.0129:AEZ\\aeftz{}\x7f\x80\xff") {
				requireSameDecoded(t, replaced(b, i, i+1, c))
			}
			requireSameDecoded(t, replaced(b, i, i+1))
			requireSameDecoded(t, replaced(b, i, i, b[i]))
			requireSameDecoded(t, b[:i])
		}
		requireSameDecoded(t, append(bytes.Clone(b), '\n'))
	}
}

func replaced(b []byte, from, to int, with ...byte) []byte {
	return append(append(bytes.Clone(b[:from]), with...), b[to:]...)
}

// A number that another machine's int cannot hold, or one that JSON cannot spell so,
// is left to the long way.
func TestPlainNumbersAreSpelledInOneWay(t *testing.T) {
	b, err := ownership.Encode(fullRecord())
	require.NoError(t, err)
	for _, pid := range []string{"048211", "4294967297", "999999999999999999", "9999999999999999999999", "-1", "+1", "1.0", "1e3", ""} {
		odd := bytes.Replace(b, []byte(`"pid": 48211`), []byte(`"pid": `+pid), 1)
		require.NotEqual(t, b, odd)
		_, ok := ownership.DecodePlain(odd)
		require.False(t, ok, pid)
		requireSameDecoded(t, odd)
	}
}
