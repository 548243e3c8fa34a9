package etcdstore

import (
	"context"
	"iter"

	clientv3 "go.etcd.io/etcd/client/v3"

	"holdfast/ownership"
)

// List yields the digest of every session that left a trace. It skips the history of each
// one that it has seen.
func (s *Store) List(ctx context.Context) iter.Seq2[ownership.Digest, error] {
	return func(yield func(ownership.Digest, error) bool) {
		from, end := s.keys.sessions(), clientv3.GetPrefixRangeEnd(s.keys.sessions())
		var last ownership.Digest
		for {
			got, err := s.get(ctx, "list", from, clientv3.WithRange(end), clientv3.WithLimit(pageOfKeys), clientv3.WithKeysOnly())
			if err != nil {
				yield(ownership.Digest{}, err)
				return
			}
			for _, kv := range got.Kvs {
				d, _, ok := s.keys.digestIn(string(kv.Key))
				if !ok || d == last {
					continue
				}
				if last = d; !yield(d, nil) {
					return
				}
			}
			if !got.More || len(got.Kvs) == 0 {
				return
			}
			from = s.after(string(got.Kvs[len(got.Kvs)-1].Key), last)
		}
	}
}

// after is the first key that can be of another session.
func (s *Store) after(key string, last ownership.Digest) string {
	if d, _, ok := s.keys.digestIn(key); ok && d == last {
		return clientv3.GetPrefixRangeEnd(s.keys.allOf(d))
	}
	return key + "\x00"
}
