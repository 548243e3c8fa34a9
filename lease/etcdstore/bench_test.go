package etcdstore

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"holdfast/internal/etcdtest"
	"holdfast/lease"
	"holdfast/ownership"
)

// BenchmarkAcquireRelease compares a session's acquire and release with the least that
// any client of the same server can do for it: a lease, two transactions that replace a
// record and write its place in history, and the end of the lease. They take turns, so
// that whatever else the machine does slows both.
func BenchmarkAcquireRelease(b *testing.B) {
	server := etcdtest.NewIn(b, "") // on a disk, where a write costs what it costs
	server.Run(b)
	s := openStore(b, configOn(server))
	client := rawClient(b, server.Address)
	var ours, bare time.Duration
	key, err := ownership.ParseKey("web/42")
	require.NoError(b, err)
	acquireAndRelease(b, s, key)
	record := loadedRecord(b, s, key)
	for n := 0; b.Loop(); n++ {
		began := time.Now()
		leastPossible(b, client, record, n)
		middle := time.Now()
		acquireAndRelease(b, s, key)
		ours += time.Since(middle)
		bare += middle.Sub(began)
	}
	b.ReportMetric(float64(ours)/float64(bare), "times-bare")
	b.ReportMetric(float64(ours.Microseconds())/float64(b.N), "µs/cycle")
}

func acquireAndRelease(b *testing.B, s lease.Store, key ownership.Key) {
	l, err := lease.Acquire(context.Background(), s, key, lease.Owner{Kind: "bench"})
	require.NoError(b, err)
	require.NoError(b, l.Release(context.Background()))
}

func loadedRecord(b *testing.B, s *Store, key ownership.Key) string {
	stored, err := s.Load(context.Background(), key.Digest())
	require.NoError(b, err)
	return string(stored.Bytes)
}

func leastPossible(b *testing.B, client *clientv3.Client, record string, n int) {
	ctx := context.Background()
	granted, err := client.Grant(ctx, 10)
	require.NoError(b, err)
	for step := range 2 {
		_, err := client.Txn(ctx).If(clientv3.Compare(clientv3.ModRevision("bare/lock"), "=", 0)).Then(
			clientv3.OpPut("bare/record", record),
			clientv3.OpPut(fmt.Sprintf("bare/past/%d.%d", n, step), record),
			clientv3.OpPut("bare/life", "", clientv3.WithLease(granted.ID)),
		).Commit()
		require.NoError(b, err)
	}
	_, err = client.Revoke(ctx, granted.ID)
	require.NoError(b, err)
}
