package etcdstore

import (
	"context"
	"iter"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// What one answer holds at most. Records have up to 64 KiB.
const (
	pageOfKeys   = 2000
	pageOfValues = 50
)

// page yields every key below a prefix, in the order of their names, in as many answers
// as it takes. Those after the first are of the same moment.
func (s *Store) page(ctx context.Context, op, prefix string, options ...clientv3.OpOption) iter.Seq2[*mvccpb.KeyValue, error] {
	return s.pageFrom(ctx, op, prefix, clientv3.GetPrefixRangeEnd(prefix), options...)
}

// pageFrom is page for every key from one on, up to an end that is left out.
func (s *Store) pageFrom(ctx context.Context, op, from, end string, options ...clientv3.OpOption) iter.Seq2[*mvccpb.KeyValue, error] {
	return func(yield func(*mvccpb.KeyValue, error) bool) {
		from, revision := from, int64(0)
		for {
			asked := append([]clientv3.OpOption{clientv3.WithRange(end), clientv3.WithLimit(pageOfValues), clientv3.WithRev(revision)}, options...)
			got, err := s.get(ctx, op, from, asked...)
			if err != nil {
				yield(nil, err)
				return
			}
			for _, kv := range got.Kvs {
				if !yield(kv, nil) {
					return
				}
			}
			if !got.More || len(got.Kvs) == 0 {
				return
			}
			from, revision = string(got.Kvs[len(got.Kvs)-1].Key)+"\x00", got.Header.Revision
		}
	}
}
