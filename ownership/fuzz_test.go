package ownership_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"holdfast/ownership"
)

// I1: whatever is accepted re-encodes to the same bytes, and nothing panics. The
// seeds are the record vectors.
func FuzzDecode(f *testing.F) {
	for _, v := range readVectors(f) {
		f.Add(v.bytes)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		requireSameDecoded(t, b)
		r, err := ownership.Decode(b)
		if err != nil {
			var format *ownership.FormatError
			require.ErrorAs(t, err, &format)
			require.Zero(t, r)
			return
		}
		again, err := ownership.Encode(r)
		require.NoError(t, err)
		require.Equal(t, string(b), string(again))
	})
}

// I1, from the other side: whatever Encode returns is read back as the same record.
func FuzzEncode(f *testing.F) {
	f.Add("web/42", "ana", "claude --resume 01a0", "/home/ana", uint64(1))
	f.Add("a&b<c>\u2028\ufffd", "a\xff", "\x00\x1b\u007f\b\f", "relative", uint64(1)<<53)
	f.Add("", "", "", "/", uint64(0))
	f.Fuzz(func(t *testing.T, key, user, resume, worktree string, generation uint64) {
		r := fullRecord()
		r.Generation = ownership.Generation(generation)
		r.Owner.User, r.Session.Resume, r.Session.Worktree = user, &resume, &worktree
		if k, err := ownership.ParseKey(key); err == nil {
			r.Key, r.KeyDigest = &key, k.Digest()
		}
		requireSameEncoded(t, r)
		b, err := ownership.Encode(r)
		if err != nil {
			var field *ownership.FieldError
			require.ErrorAs(t, err, &field)
			return
		}
		again, err := ownership.Decode(b)
		require.NoError(t, err)
		require.Equal(t, r, again)
	})
}

func FuzzKey(f *testing.F) {
	for _, s := range []string{
		"", "web/42", "a_b", "a:b", "a/b", "a b", "a%3Ab", "A_B", "a.b", "../x", "caf\u00e9", "cafe\u0301",
		"a\nb", "\x1b[2J", "\x7f", "\u0085", "\xff", "\xed\xa0\x80", strings.Repeat("k", 512), strings.Repeat("k", 513),
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		k, err := ownership.ParseKey(s)
		if err != nil {
			var bad *ownership.KeyError
			require.ErrorAs(t, err, &bad)
			require.Equal(t, s, bad.Key)
			requirePrintable(t, err.Error())
			return
		}
		require.Equal(t, s, k.String(), "a key is kept byte for byte")
		requireRecordKeeps(t, k)
	})
}

// requirePrintable holds that a message shows no control character of a bad key.
func requirePrintable(t *testing.T, s string) {
	t.Helper()
	require.True(t, utf8.ValidString(s))
	require.NotContains(t, s, "\n")
	require.NotContains(t, s, "\x1b")
}

func requireRecordKeeps(t *testing.T, k ownership.Key) {
	t.Helper()
	b, err := ownership.Encode(acquired(t, ownership.Current{}, ownership.Claim{Key: k, Owner: someOwner(1)}))
	require.NoError(t, err)
	r, err := ownership.Decode(b)
	require.NoError(t, err)
	require.Equal(t, k.String(), *r.Key)
	require.Equal(t, k.Digest(), r.KeyDigest)
}
