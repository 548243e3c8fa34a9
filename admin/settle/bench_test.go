package settle_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"holdfast/admin/settle"
	"holdfast/lease"
	"holdfast/lease/dirstore"
	"holdfast/ownership"
)

func BenchmarkSettle(b *testing.B) {
	executions := make([]settle.Execution, 10_000)
	for i := range executions {
		executions[i] = execution(verdict(settle.DecisionPending, "later"), done)
	}
	for b.Loop() {
		settle.Settle(executions)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(executions)), "ns/execution")
}

func BenchmarkDecode(b *testing.B) {
	encoded := []byte(stored(b))
	b.SetBytes(int64(len(encoded)))
	for b.Loop() {
		if _, err := settle.Decode(encoded); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReadTranscript(b *testing.B) {
	path := filepath.Join(b.TempDir(), "transcript")
	text := strings.Repeat("working on it\n", 1<<20) + "TASK_DONE\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if t, err := settle.ReadTranscript(path); err != nil || len(t.Signals) != 1 {
			b.Fatal(err)
		}
	}
}

// BenchmarkSet counts what a verdict costs: one fsync'd file and one fsync'd directory.
func BenchmarkSet(b *testing.B) {
	ctx := context.Background()
	s, err := dirstore.Open(filepath.Join(b.TempDir(), "store"), dirstore.Options{})
	if err != nil {
		b.Fatal(err)
	}
	key, _ := ownership.ParseKey("k")
	l, err := lease.Acquire(ctx, s, key, lease.Owner{Kind: "test", Program: "agent"})
	if err != nil {
		b.Fatal(err)
	}
	defer l.Release(ctx)
	record := l.Record()
	v := *verdict(settle.DecisionDone, "")
	v.KeyDigest, v.Generation, v.ID = key.Digest(), record.Generation, record.Owner.OperationID
	for b.Loop() {
		v.WrittenAt = ownership.At(time.Now())
		if err := settle.Set(ctx, s, v); err != nil {
			b.Fatal(err)
		}
	}
}
