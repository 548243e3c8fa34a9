package ownership_test

import (
	"bytes"
	"testing"
	"time"

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

// requireSameEncoded holds the short way to the long one (I1).
func requireSameEncoded(t testing.TB, r ownership.Record) {
	t.Helper()
	b, ok := ownership.EncodePlain(r)
	if !ok || r.Validate() != nil {
		return
	}
	long, err := ownership.EncodeAny(r)
	require.NoError(t, err)
	require.Equal(t, string(long), string(b))
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

// I1: nor be written the long way; what cannot be written plainly is left to it.
func TestPlainRecordsAreWrittenPlainly(t *testing.T) {
	for _, r := range plainRecords() {
		_, ok := ownership.EncodePlain(r)
		require.True(t, ok, "%v", r)
		requireSameEncoded(t, r)
	}
	for why, spoil := range map[string]func(*ownership.Record){
		"escape":    func(r *ownership.Record) { r.Owner.User = "a\"b" },
		"backslash": func(r *ownership.Record) { r.Owner.Host = `a\b` },
		"control":   func(r *ownership.Record) { r.Owner.Program = "a\x1fb" },
		"DEL":       func(r *ownership.Record) { r.Session.Resume = new("a\x7fb") },
		"not ASCII": func(r *ownership.Record) { r.Session.Worktree = new("/é") },
		"separator": func(r *ownership.Record) { r.Session.Tracker = new("/\u2028") },
		"no owner":  func(r *ownership.Record) { r.Owner = nil },
		"large pid": func(r *ownership.Record) { r.Owner.PID = 1 << 31 },
		"pid below": func(r *ownership.Record) { r.Owner.PID = -1 },
		"year": func(r *ownership.Record) {
			r.Owner.AcquiredAt = ownership.At(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC))
		},
		"survivor": func(r *ownership.Record) { r.LastForcedRecovery.Survivors = make([]ownership.Survivor, 1) },
		"no list":  func(r *ownership.Record) { r.LastForcedRecovery.Survivors = nil },
	} {
		r := plainRecords()[2]
		spoil(&r)
		_, ok := ownership.EncodePlain(r)
		require.False(t, ok, why)
	}
}

// Whoever encodes a record shares it with others.
func TestEncodingTouchesNothing(t *testing.T) {
	odd := plainRecords()[2]
	odd.Owner.AcquiredAt = ownership.At(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC))
	odd.LastForcedRecovery.Survivors, odd.Owner.PID = nil, -1
	owner, marker := *odd.Owner, *odd.LastForcedRecovery
	_, ok := ownership.EncodePlain(odd)
	require.False(t, ok)
	require.Equal(t, owner, *odd.Owner)
	require.Equal(t, marker, *odd.LastForcedRecovery)
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
