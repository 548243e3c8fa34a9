package etcdstore

import (
	"context"
	"encoding/json"
	"errors"

	clientv3 "go.etcd.io/etcd/client/v3"

	"holdfast/lease"
	"holdfast/ownership"
)

// Pulse returns the bytes of the latest pulse, or nil.
func (s *Store) Pulse(ctx context.Context, d ownership.Digest) ([]byte, error) {
	got, err := s.get(ctx, "read pulse", s.keys.pulse(d))
	if err != nil || len(got.Kvs) == 0 {
		return nil, err
	}
	return got.Kvs[0].Value, nil
}

const pulseOp = "write pulse"

// SetPulse replaces the pulse, on the lease of the owner that it is of, so that both end
// together. What an owner that gives up says outlives it.
func (s *Store) SetPulse(ctx context.Context, d ownership.Digest, b []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	key := s.keys.pulse(d)
	known, err := s.load(ctx, d)
	if err == nil && known.Vacant() {
		err = &lease.StoreError{Op: pulseOp, Path: s.at(key), Err: errors.New("there is no such session")}
	}
	if err != nil {
		return err
	}
	on, err := s.leaseFor(ctx, d, b)
	if err != nil {
		return err
	}
	return s.put(ctx, pulseOp, key, string(b), clientv3.WithLease(on))
}

// leaseFor returns the lease of the life key that a pulse belongs to, or none.
func (s *Store) leaseFor(ctx context.Context, d ownership.Digest, b []byte) (clientv3.LeaseID, error) {
	var p lease.Pulse
	if json.Unmarshal(b, &p) != nil || p.Phase == lease.PhaseAbandoned {
		return clientv3.NoLease, nil
	}
	got, err := s.get(ctx, pulseOp, s.keys.life(d, p.Generation))
	if err != nil || len(got.Kvs) == 0 {
		return clientv3.NoLease, err
	}
	return clientv3.LeaseID(got.Kvs[0].Lease), nil
}

// put writes what is evidence only.
func (s *Store) put(ctx context.Context, op, key, value string, options ...clientv3.OpOption) error {
	client, err := s.link.use()
	if err == nil {
		sending, cancel := context.WithTimeout(clientv3.WithRequireLeader(ctx), s.config.patience())
		defer cancel()
		_, err = client.Put(sending, key, value, options...)
	}
	return s.failed(ctx, op, key, err)
}
