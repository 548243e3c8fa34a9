package etcdstore

import (
	"context"
	"errors"
	"fmt"

	clientv3 "go.etcd.io/etcd/client/v3"

	"holdfast/lease"
	"holdfast/ownership"
)

// Verdict returns what is in the verdict's place.
func (s *Store) Verdict(ctx context.Context, d ownership.Digest) (lease.Stored, error) {
	stored, _, err := s.loadVerdict(ctx, d)
	return stored, err
}

func (s *Store) loadVerdict(ctx context.Context, d ownership.Digest) (lease.Stored, int64, error) {
	got, err := s.get(ctx, "read verdict", s.keys.verdict(d))
	if err != nil || len(got.Kvs) == 0 {
		return lease.Stored{}, 0, err
	}
	return storedFrom(got.Kvs[0].Value, lease.MaxVerdictSize), got.Kvs[0].ModRevision, nil
}

// SetVerdict replaces the verdict while the record is the one that the caller saw.
func (s *Store) SetVerdict(ctx context.Context, d ownership.Digest, record ownership.Revision, b []byte) error {
	if len(b) > lease.MaxVerdictSize {
		return &ownership.FieldError{Field: "verdict", Why: fmt.Sprintf("has %d bytes, more than %d", len(b), lease.MaxVerdictSize)}
	}
	known, err := s.load(ctx, d)
	if err != nil {
		return err
	}
	if known.Vacant() || known.Revision != record {
		return s.verdictConflict(d, "the session's record is now "+revisionInWords(known.Stored))
	}
	return s.changeVerdict(ctx, d,
		clientv3.Compare(clientv3.ModRevision(s.keys.record(d)), "=", known.mod),
		clientv3.OpPut(s.keys.verdict(d), string(b)))
}

// ClearVerdict removes the verdict that the caller saw.
func (s *Store) ClearVerdict(ctx context.Context, d ownership.Digest, seen ownership.Revision) error {
	stored, mod, err := s.loadVerdict(ctx, d)
	if err != nil {
		return err
	}
	if stored.Vacant() || stored.Revision != seen {
		return s.verdictConflict(d, "it is not the verdict that was looked at any more")
	}
	return s.changeVerdict(ctx, d,
		clientv3.Compare(clientv3.ModRevision(s.keys.verdict(d)), "=", mod),
		clientv3.OpDelete(s.keys.verdict(d)))
}

func (s *Store) changeVerdict(ctx context.Context, d ownership.Digest, while clientv3.Cmp, change clientv3.Op) error {
	const op = "change verdict"
	key := s.keys.verdict(d)
	client, err := s.link.use()
	if err != nil {
		return s.failed(ctx, op, key, err)
	}
	sending, cancel := context.WithTimeout(clientv3.WithRequireLeader(ctx), s.config.patience())
	defer cancel()
	answer, err := client.Txn(sending).If(while).Then(change).Commit()
	switch {
	case err != nil && definite(err):
		return s.explained(op, key, err)
	case err != nil:
		return &lease.StoreError{Kind: lease.ErrOutcomeUnknown, Op: op, Path: s.at(key), Err: fmt.Errorf("no answer: %w", err),
			Advice: "look at the verdict before changing it again"}
	case !answer.Succeeded:
		return s.verdictConflict(d, "it was changed meanwhile")
	}
	return nil
}

func (s *Store) verdictConflict(d ownership.Digest, why string) error {
	return &lease.StoreError{
		Kind: lease.ErrConflict, Op: "change verdict", Path: s.at(s.keys.verdict(d)), Err: errors.New(why),
		Advice: "look at the session again and decide anew",
	}
}
