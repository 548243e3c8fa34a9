package etcdstore

import (
	"context"
	"fmt"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"holdfast/lease"
	"holdfast/ownership"
)

// loaded is a record with what the cluster compares it by.
type loaded struct {
	lease.Stored
	mod   int64  // revision of the cluster that wrote it; 0: there is none
	whole []byte // also what is too large for a record
}

func (s *Store) load(ctx context.Context, d ownership.Digest) (loaded, error) {
	const op = "read record"
	key := s.keys.record(d)
	if err := ctx.Err(); err != nil {
		return loaded{}, err
	}
	client, err := s.link.use()
	if err != nil {
		return loaded{}, s.failed(ctx, op, key, err)
	}
	kvs, err := s.link.loads.ask(ctx, s.config, client, key)
	if err != nil {
		return loaded{}, s.failed(ctx, op, key, err)
	}
	return loadedFrom(kvs), nil
}

// loadedFrom takes the answer to a question for one key.
func loadedFrom(kvs []*mvccpb.KeyValue) loaded {
	if len(kvs) == 0 {
		return loaded{}
	}
	return loaded{storedFrom(kvs[0].Value, ownership.MaxRecordSize), kvs[0].ModRevision, kvs[0].Value}
}

// storedFrom keeps of what is too large the revision only.
func storedFrom(b []byte, limit int) lease.Stored {
	stored := lease.Stored{Bytes: b, Revision: ownership.RevisionOf(b)}
	if len(b) > limit {
		stored.Bytes = nil
		stored.Fault = &ownership.FormatError{Why: fmt.Sprintf("it is larger than %d bytes", limit)}
	}
	if b == nil {
		stored.Bytes = []byte{} // a key without a value is no absent key
	}
	return stored
}

// get asks a question, which may be asked again: of another server, when one is silent.
func (s *Store) get(ctx context.Context, op, key string, options ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	client, err := s.link.use()
	if err != nil {
		return nil, s.failed(ctx, op, key, err)
	}
	var got *clientv3.GetResponse
	err = s.config.ask(ctx, func(ctx context.Context) (err error) {
		got, err = client.Get(ctx, key, options...)
		return err
	})
	return got, s.failed(ctx, op, key, err)
}

// ask gives each of several servers a share of the patience.
func (c Config) ask(ctx context.Context, question func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(clientv3.WithRequireLeader(ctx), c.patience())
	defer cancel()
	ctx, stop := c.unlessClosed(ctx)
	defer stop()
	for {
		err := c.askOnce(ctx, question)
		if err == nil || !silent(err) || ctx.Err() != nil {
			return calledOff(ctx, err)
		}
	}
}

func (c Config) askOnce(ctx context.Context, question func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, c.patience()/4)
	defer cancel()
	return question(ctx)
}
