package ownership_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/ownership"
)

// vector is one file of testdata/records: a header of "want" and "why", an empty
// line, then the exact bytes up to the end of the file.
type vector struct {
	accept bool
	why    string
	bytes  []byte
}

func readVectors(t testing.TB) map[string]vector {
	t.Helper()
	names, err := filepath.Glob("../testdata/records/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	all := map[string]vector{}
	for _, name := range names {
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		all[strings.TrimSuffix(filepath.Base(name), ".txt")] = parseVector(t, name, b)
	}
	return all
}

func parseVector(t testing.TB, name string, b []byte) vector {
	t.Helper()
	head, payload, ok := bytes.Cut(b, []byte("\n\n"))
	require.True(t, ok, "%s: no empty line after the header", name)
	want, why, ok := strings.Cut(string(head), "\nwhy: ")
	require.True(t, ok && why != "", "%s: the header does not say why", name)
	require.Contains(t, []string{"want: accept", "want: unreadable"}, want, name)
	return vector{accept: want == "want: accept", why: why, bytes: payload}
}

// I1: bytes are accepted exactly when they are the one valid encoding of a record.
func TestVectors(t *testing.T) {
	for name, v := range readVectors(t) {
		t.Run(name, func(t *testing.T) {
			before := bytes.Clone(v.bytes)
			r, err := ownership.Decode(v.bytes)
			require.Equal(t, before, v.bytes, "decoding changed its input")
			if v.accept {
				requireAccepted(t, v, r, err)
				return
			}
			requireUnreadable(t, v, r, err)
		})
	}
}

func requireAccepted(t *testing.T, v vector, r ownership.Record, err error) {
	t.Helper()
	require.NoError(t, err, v.why)
	again, err := ownership.Encode(r)
	require.NoError(t, err)
	require.Equal(t, string(v.bytes), string(again))
	requireNeighboursUnreadable(t, v.bytes)
}

// requireNeighboursUnreadable holds that what a crash or an editor makes of an
// accepted record is never a record.
func requireNeighboursUnreadable(t *testing.T, b []byte) {
	t.Helper()
	for _, other := range [][]byte{
		b[:len(b)-1], b[1:], b[:len(b)/2],
		append(bytes.Clone(b), '\n'), append(bytes.Clone(b), 0), append(bytes.Clone(b), b...),
		append([]byte("\ufeff"), b...), append([]byte(" "), b...),
		bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")),
	} {
		_, err := ownership.Decode(other)
		var format *ownership.FormatError
		require.ErrorAs(t, err, &format)
	}
}

func requireUnreadable(t *testing.T, v vector, r ownership.Record, err error) {
	t.Helper()
	var format *ownership.FormatError
	require.ErrorAs(t, err, &format, v.why)
	require.NotEmpty(t, format.Why)
	require.Less(t, len(format.Error()), 1024, "the reason is for a person")
	require.Zero(t, r, "nothing is guessed from unreadable bytes")
}

// The size limit is of the bytes, and the vectors meet it exactly.
func TestVectorsMeetTheSizeLimit(t *testing.T) {
	all := readVectors(t)
	require.Len(t, all["size-limit"].bytes, ownership.MaxRecordSize)
	require.Len(t, all["size-above-limit"].bytes, ownership.MaxRecordSize+1)
}
