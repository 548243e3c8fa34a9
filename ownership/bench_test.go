package ownership_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/ownership"
)

func BenchmarkEncode(b *testing.B) {
	r := fullRecord()
	b.ReportAllocs()
	for b.Loop() {
		_, err := ownership.Encode(r)
		require.NoError(b, err)
	}
	b.ReportMetric(0, "fsyncs/op")
}

func BenchmarkDecode(b *testing.B) {
	bytes, err := ownership.Encode(fullRecord())
	require.NoError(b, err)
	b.SetBytes(int64(len(bytes)))
	b.ReportAllocs()
	for b.Loop() {
		_, err := ownership.Decode(bytes)
		require.NoError(b, err)
	}
	b.ReportMetric(0, "fsyncs/op")
}
