package ownership_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/ownership"
)

// Distinct keys are distinct sessions: nothing folds, cleans or normalizes them.
func TestKeysAreComparedByteForByte(t *testing.T) {
	keys := []string{
		"a_b", "a:b", "a/b", "a b", "a%3Ab", "A_B", "a.b", "a//b", "./a/b", "../x", "x", "x ", " x",
		"caf\u00e9", "cafe\u0301", strings.Repeat("k", 512),
	}
	seen := map[ownership.Digest]string{}
	for _, s := range keys {
		k := mustKey(t, s)
		require.Equal(t, s, k.String())
		require.NotContains(t, seen, k.Digest(), s)
		seen[k.Digest()] = s
	}
}

func TestKeyRefused(t *testing.T) {
	for _, s := range []string{"", "a\nb", "a\x00", "\x1b[2J", "\x7f", "a\u0085", "\xff", "\xed\xa0\x80", strings.Repeat("k", 513)} {
		_, err := ownership.ParseKey(s)
		var bad *ownership.KeyError
		require.ErrorAs(t, err, &bad, "%q", s)
		requirePrintable(t, err.Error())
	}
}

// The digests are those that b3sum prints.
func TestDigestsAreBLAKE3(t *testing.T) {
	require.Equal(t, "5ebcef0e3909a639d4d692689ff82e51b74c77c0495b2f863a077ea35d19e67f", mustKey(t, "web/42").Digest().String())
	const empty = "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"
	require.Equal(t, empty, ownership.RevisionOf(nil).String())
	h := ownership.NewRevisionHash()
	_, err := h.Write([]byte("some "))
	require.NoError(t, err)
	_, err = h.Write([]byte("bytes"))
	require.NoError(t, err)
	whole := ownership.RevisionOf([]byte("some bytes"))
	require.Equal(t, whole[:], h.Sum(nil), "in parts or at once")
}

func TestHexRoundTrip(t *testing.T) {
	revision := ownership.RevisionOf([]byte("x"))
	again, err := ownership.ParseRevision(revision.String())
	require.NoError(t, err)
	require.Equal(t, revision, again)
	require.False(t, revision.IsZero())
	require.True(t, ownership.Revision{}.IsZero())
	for _, s := range []string{"", revision.String()[1:], revision.String() + "0", strings.ToUpper(revision.String()), "0x" + revision.String()[2:], " " + revision.String()[1:]} {
		_, err := ownership.ParseRevision(s)
		require.Error(t, err, "%q", s)
		_, err = ownership.ParseDigest(s)
		require.Error(t, err, "%q", s)
	}
}

func TestTimestampIsUTCWithThreeDecimals(t *testing.T) {
	east := time.FixedZone("east", 3600)
	ts := ownership.At(time.Date(2026, 1, 2, 0, 30, 0, 999_999_999, east))
	require.Equal(t, "2026-01-01T23:30:00.999Z", ts.String())
	var again ownership.Timestamp
	b, err := ts.MarshalText()
	require.NoError(t, err)
	require.NoError(t, again.UnmarshalText(b))
	require.Equal(t, ts, again)
}

func TestTimesThatCannotBeSpelledAreNoRecord(t *testing.T) {
	for _, year := range []int{-1, 10000} {
		when := ownership.At(time.Date(year, 6, 1, 0, 0, 0, 0, time.UTC))
		r := fullRecord()
		r.Owner.AcquiredAt = when
		_, err := ownership.Encode(r)
		requireFieldError(t, err, "owner.acquiredAt")

		f := someForce()
		f.At = when
		_, err = ownership.Encode(must(ownership.Recover(current(t, fullRecord()), f))(t))
		requireFieldError(t, err, "lastForcedRecovery.recoveredAt")
	}
}

func TestEncodeRefusesWhatIsTooLarge(t *testing.T) {
	r := fullRecord()
	control := strings.Repeat("\x01", ownership.MaxTextSize) // six bytes each when spelled
	r.Session.Runtime.Handle, r.Session.Resume = control, &control
	path := "/" + control[1:]
	r.Session.Worktree = &path
	_, err := ownership.Encode(r)
	requireFieldError(t, err, "record")
}

// Encode never replaces what it cannot spell: a record reads back as it was given (I1).
func TestEncodeRefusesInvalidUTF8(t *testing.T) {
	const bad = "/a\xff"
	fields := map[string]func(r *ownership.Record){
		"owner.user":                  func(r *ownership.Record) { r.Owner.User = bad },
		"owner.host":                  func(r *ownership.Record) { r.Owner.Host = bad },
		"owner.program":               func(r *ownership.Record) { r.Owner.Program = bad },
		"session.runtime.handle":      func(r *ownership.Record) { r.Session.Runtime.Handle = bad },
		"session.resume":              func(r *ownership.Record) { r.Session.Resume = new(bad) },
		"session.worktree":            func(r *ownership.Record) { r.Session.Worktree = new(bad) },
		"session.transcript":          func(r *ownership.Record) { r.Session.Transcript = new(bad) },
		"session.tracker":             func(r *ownership.Record) { r.Session.Tracker = new(bad) },
		"key":                         func(r *ownership.Record) { r.Key = new(bad) },
		"lastForcedRecovery.actor":    func(r *ownership.Record) { r.LastForcedRecovery.Actor = bad },
		"lastForcedRecovery.reason":   func(r *ownership.Record) { r.LastForcedRecovery.Reason = bad },
		"lastForcedRecovery.evidence": func(r *ownership.Record) { r.LastForcedRecovery.Evidence = new(bad) },
		"lastForcedRecovery.survivors.program": func(r *ownership.Record) {
			r.LastForcedRecovery.Survivors = []ownership.Survivor{{PID: 1, Program: bad}}
		},
	}
	for field, spoil := range fields {
		r := must(ownership.Recover(current(t, fullRecord()), someForce()))(t)
		owner, runtime := *r.Owner, *r.Session.Runtime
		r.Owner, r.Session.Runtime = &owner, &runtime
		spoil(&r)
		_, err := ownership.Encode(r)
		requireFieldError(t, err, field)
	}
}
