package probe_test

import (
	"testing"

	"holdfast/internal/probe"
	"holdfast/ownership"
)

// Concurrent questions share passes over /proc.
func BenchmarkOwnerGone(b *testing.B) {
	pid, ticks := 1<<22-1, uint64(1)
	r := ownership.Record{Owner: &ownership.Owner{PID: pid, StartTicks: &ticks, PIDNamespace: new(uint64(4026531836))}}
	b.SetParallelism(32)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			probe.Owner(b.Context(), r, false)
		}
	})
	b.ReportMetric(0, "fsyncs/op")
}
