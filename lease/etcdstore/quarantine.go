package etcdstore

import (
	"context"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"

	"holdfast/lease"
	"holdfast/ownership"
)

// Quarantine keeps what is in the record's place, which is no record, and publishes b
// over it, in one transaction.
func (s *Store) Quarantine(ctx context.Context, held lease.Hold, displaced ownership.Revision, b []byte) error {
	return s.publish(ctx, held, publication{previous: displaced, bytes: b, aside: true})
}

// Traces looks at the life keys and the history that are left of a session.
func (s *Store) Traces(ctx context.Context, d ownership.Digest) (lease.Traces, error) {
	var t lease.Traces
	for kv, err := range s.page(ctx, "look for traces in", s.keys.allOf(d), clientv3.WithKeysOnly()) {
		if err != nil {
			return lease.Traces{}, err
		}
		_, rest, _ := s.keys.digestIn(string(kv.Key))
		if g, ok := generationIn(rest); ok {
			t.Highest = max(t.Highest, g)
			t.Held = append(t.Held, lease.HeldLock{Lock: ownership.LifeLock, Generation: g})
		}
	}
	err := s.traceHistory(ctx, d, &t)
	return t, err
}

// traceHistory is evidence only (I12): what is neither a record nor an event names no
// generation.
func (s *Store) traceHistory(ctx context.Context, d ownership.Digest, t *lease.Traces) error {
	for kv, err := range s.page(ctx, "look for traces in", s.keys.pasts(d)) {
		if err != nil {
			return err
		}
		if r, err := ownership.Decode(kv.Value); err == nil {
			t.Highest = max(t.Highest, r.Generation)
		}
	}
	for kv, err := range s.page(ctx, "look for traces in", s.keys.eventsOf(d)) {
		if err != nil {
			return err
		}
		if e, err := parseEvent(kv.Value); err == nil && e.Generation <= ownership.MaxGeneration {
			t.Highest = max(t.Highest, e.Generation)
		}
	}
	return nil
}

// revisionIn is the last part of a key of history.
func revisionIn(key string) (ownership.Revision, error) {
	return ownership.ParseRevision(key[strings.LastIndexByte(key, '/')+1:])
}
