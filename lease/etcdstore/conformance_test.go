package etcdstore

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"holdfast/internal/storetest"
	"holdfast/lease"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) storetest.Backend {
		s := newStore(t)
		return storetest.Backend{
			Open:     func() lease.Store { return over(s.config, s.link) },
			Contents: func() string { return dump(t, s, contents) },
			Times:    func() string { return dump(t, s, times) },
		}
	})
}

func contents(kv *mvccpb.KeyValue) string { return fmt.Sprintf("%s=%s\n", kv.Key, kv.Value) }

// times leaves out the locks, which Drop and Hold change: a deletion has no time.
func times(kv *mvccpb.KeyValue) string {
	if kv.Lease != 0 {
		return ""
	}
	return fmt.Sprintf("%s %d\n", kv.Key, kv.ModRevision)
}

func dump(t *testing.T, s *Store, line func(*mvccpb.KeyValue) string) string {
	t.Helper()
	client, err := s.link.use()
	require.NoError(t, err)
	got, err := client.Get(t.Context(), string(s.keys)+"/", clientv3.WithPrefix())
	require.NoError(t, err)
	var lines strings.Builder
	for _, kv := range got.Kvs {
		lines.WriteString(line(kv))
	}
	return lines.String()
}
