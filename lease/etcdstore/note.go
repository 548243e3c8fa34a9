package etcdstore

import (
	"cmp"
	"context"
	"encoding/hex"
	"iter"
	"slices"
	"strings"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"lukechampine.com/blake3"

	"holdfast/ownership"
)

const noteOp = "note"

// Note keeps what an administrator did, under a name that is the same for the same.
func (s *Store) Note(ctx context.Context, d ownership.Digest, at ownership.Timestamp, b []byte) error {
	sum := blake3.Sum256(b)
	name := moment(at.Time()) + "." + hex.EncodeToString(sum[:8])
	client, err := s.link.use()
	if err == nil {
		sending, cancel := context.WithTimeout(clientv3.WithRequireLeader(ctx), s.config.patience())
		defer cancel()
		_, err = client.Txn(sending).Then(
			clientv3.OpPut(s.keys.notes(d)+name, string(b)),
			clientv3.OpPut(s.keys.noted(at.Time(), d, name), ""),
		).Commit()
	}
	return s.failed(ctx, noteOp, s.keys.notes(d), err)
}

// Notes yields what was noted in the order of its times, and what was noted within one
// moment in that in which the cluster wrote it.
func (s *Store) Notes(ctx context.Context, d ownership.Digest) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		var all []*mvccpb.KeyValue
		for kv, err := range s.page(ctx, "read notes", s.keys.notes(d)) {
			if err != nil {
				yield(nil, err)
				return
			}
			all = append(all, kv)
		}
		slices.SortStableFunc(all, func(a, b *mvccpb.KeyValue) int {
			return cmp.Or(strings.Compare(timeOfNote(a), timeOfNote(b)), cmp.Compare(a.CreateRevision, b.CreateRevision))
		})
		for _, kv := range all {
			if !yield(kv.Value, nil) {
				return
			}
		}
	}
}

// timeOfNote is the part of its name that sorts like its time.
func timeOfNote(kv *mvccpb.KeyValue) string {
	key := string(kv.Key)
	at, _, _ := strings.Cut(key[strings.LastIndexByte(key, '/')+1:], ".")
	return at
}
