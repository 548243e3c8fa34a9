package lease_test

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/durable"
	"holdfast/lease"
	"holdfast/lease/dirstore"
)

// counted returns a store that counts its fsyncs.
func counted(b *testing.B) (lease.Store, *atomic.Int64) {
	var n atomic.Int64
	s, err := dirstore.Open(filepath.Join(b.TempDir(), "store"), dirstore.Options{
		Calls: func(c durable.Call, apply func() error) error {
			if c.Op == "fsync" || c.Op == "sync" {
				n.Add(1)
			}
			return apply()
		},
	})
	require.NoError(b, err)
	return s, &n
}

// measure runs op and reports the fsyncs that each one cost.
func measure(b *testing.B, n *atomic.Int64, op func()) {
	n.Store(0)
	for b.Loop() {
		op()
	}
	b.ReportMetric(float64(n.Load())/float64(b.N), "fsyncs/op")
}

func BenchmarkAcquireRelease(b *testing.B) {
	s, n := counted(b)
	require.NoError(b, acquire(b, s, "k", lease.Owner{}).Release(context.Background()))
	measure(b, n, func() {
		require.NoError(b, acquire(b, s, "k", lease.Owner{}).Release(context.Background()))
	})
}

func BenchmarkRefusedAcquire(b *testing.B) {
	s, n := counted(b)
	l := acquire(b, s, "k", lease.Owner{})
	contender, err := dirstore.Open(s.Identity()+"/.", dirstore.Options{})
	require.NoError(b, err)
	k := key(b, "k")
	measure(b, n, func() {
		_, err := lease.Acquire(context.Background(), contender, k, lease.Owner{})
		require.Error(b, err)
	})
	require.NoError(b, l.Release(context.Background()))
}

func BenchmarkInspectHeld(b *testing.B) {
	s, n := counted(b)
	l := acquire(b, s, "k", lease.Owner{})
	measure(b, n, func() { inspect(b, s, "k") })
	require.NoError(b, l.Release(context.Background()))
}

func BenchmarkInspectStranded(b *testing.B) {
	s, n := counted(b)
	require.NoError(b, acquire(b, s, "k", lease.Owner{}).Abandon(context.Background(), ""))
	measure(b, n, func() { inspect(b, s, "k") })
}
