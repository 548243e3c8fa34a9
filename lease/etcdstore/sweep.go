package etcdstore

import (
	"context"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"holdfast/lease"
	"holdfast/ownership"
)

// Sweep removes the pulse that an owner left of a generation that is over. Life keys go
// with their leases, and nothing else is left here. The pulse of an active generation
// stays: it may say that its owner gave up.
func (s *Store) Sweep(ctx context.Context, d ownership.Digest, before time.Time, remove bool) ([]lease.Swept, error) {
	key := s.keys.pulse(d)
	got, err := s.get(ctx, "read pulse", key)
	if err != nil || len(got.Kvs) == 0 || got.Kvs[0].Lease != 0 {
		return nil, err
	}
	needed, err := s.needsPulse(ctx, d, before)
	if err != nil || needed {
		return nil, err
	}
	if remove {
		if err := s.deletePulse(ctx, key, got.Kvs[0].ModRevision); err != nil {
			return nil, err
		}
	}
	return []lease.Swept{{Kind: "pulse", Path: s.at(key)}}, nil
}

func (s *Store) needsPulse(ctx context.Context, d ownership.Digest, before time.Time) (bool, error) {
	known, err := s.load(ctx, d)
	if err != nil {
		return true, err
	}
	r := known.Reading(d).Record
	if r == nil {
		return !known.Vacant(), nil // of what cannot be read nobody knows
	}
	p, err := lease.ReadPulse(ctx, s, d)
	if err != nil || p == nil {
		return true, nil // it is evidence of a kind that this command does not know
	}
	young := !before.IsZero() && !p.At.Time().Before(before)
	return young || r.State == ownership.RecordActive && p.Generation == r.Generation, nil
}

func (s *Store) deletePulse(ctx context.Context, key string, mod int64) error {
	client, err := s.link.use()
	if err == nil {
		sending, cancel := context.WithTimeout(clientv3.WithRequireLeader(ctx), s.config.patience())
		defer cancel()
		_, err = client.Txn(sending).If(clientv3.Compare(clientv3.ModRevision(key), "=", mod)).Then(clientv3.OpDelete(key)).Commit()
	}
	return s.failed(ctx, "sweep", key, err)
}
