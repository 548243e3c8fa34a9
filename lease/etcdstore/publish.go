package etcdstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"holdfast/lease"
	"holdfast/ownership"
)

const publishOp = "publish"

// Publish replaces the record, whose revision must be previous.
func (s *Store) Publish(ctx context.Context, held lease.Hold, previous ownership.Revision, b []byte) error {
	return s.publish(ctx, held, publication{previous: previous, bytes: b})
}

// Displace is Publish while nobody holds the life key of the displaced generation.
func (s *Store) Displace(ctx context.Context, held lease.Hold, previous ownership.Revision, displaced ownership.Generation, b []byte) error {
	return s.publish(ctx, held, publication{previous: previous, bytes: b, displaced: displaced})
}

// Conclude is Publish, and the end of the life key with it.
func (s *Store) Conclude(ctx context.Context, held lease.Hold, previous ownership.Revision, b []byte) error {
	return s.publish(ctx, held, publication{previous: previous, bytes: b, last: true})
}

// publication is what one transaction publishes.
type publication struct {
	previous  ownership.Revision
	bytes     []byte
	displaced ownership.Generation // whose life key must be gone; 0: none
	aside     bool                 // what is there is no record, and goes to quarantine
	last      bool                 // of its generation: the life key goes with it
}

func (s *Store) publish(ctx context.Context, held lease.Hold, p publication) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	h, ok := held.(*hold)
	if !ok || h.store != s {
		return &lease.StoreError{Op: publishOp, Path: s.at(string(s.keys)), Err: errors.New("the hold is not of this store")}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended {
		return &lease.StoreError{Op: publishOp, Path: s.at(h.key()), Err: errors.New("the hold has ended")}
	}
	if err := h.learn(ctx, p); err != nil {
		return err
	}
	return h.commit(ctx, p)
}

// learn finds out what the cluster compares the previous record by. What would be
// refused anyway is refused here, and nothing is sent.
func (h *hold) learn(ctx context.Context, p publication) error {
	if h.known.Revision != p.previous {
		known, err := h.store.load(ctx, h.digest)
		if err != nil {
			return err
		}
		h.known = known
	}
	if h.known.Revision != p.previous {
		return h.conflict("it is now " + revisionInWords(h.known.Stored))
	}
	if h.known.Fault != nil && !p.aside {
		return h.conflict("what is there is not a record")
	}
	return nil
}

func revisionInWords(s lease.Stored) string {
	if s.Vacant() {
		return "vacant"
	}
	return "at revision " + s.Revision.String()
}

func (h *hold) conflict(why string) error {
	return &lease.StoreError{
		Kind: lease.ErrConflict, Op: publishOp, Path: h.store.at(h.store.keys.record(h.digest)), Err: errors.New(why),
		Advice: "look at the session again and decide anew",
	}
}

// commit is the one transaction of a publish. It is sent once. The clock is looked at
// right before: a process that was stopped finds out here that its time is over.
func (h *hold) commit(ctx context.Context, p publication) error {
	client, err := h.store.link.use()
	if err != nil {
		return h.store.failed(ctx, publishOp, h.key(), err)
	}
	puts := h.puts(p, time.Now())
	sending, cancel := context.WithTimeout(clientv3.WithRequireLeader(ctx), h.store.config.patience())
	defer cancel()
	if err := h.lostNow(); err != nil {
		return err
	}
	answer, err := client.Txn(sending).If(h.conditions(p)...).Then(puts...).Else(h.questions(p)...).Commit()
	switch {
	case err != nil:
		return h.unanswered(err)
	case !answer.Succeeded:
		return h.refused(p, answer)
	}
	h.known = loaded{lease.Stored{Bytes: p.bytes, Revision: ownership.RevisionOf(p.bytes)}, answer.Header.Revision, p.bytes}
	h.published, h.ended = h.known, p.last
	return nil
}

// conditions: the record is the one that was compared (I6), the life key is ours (I3),
// and that of a displaced owner is gone (I7).
func (h *hold) conditions(p publication) []clientv3.Cmp {
	all := []clientv3.Cmp{
		clientv3.Compare(clientv3.ModRevision(h.store.keys.record(h.digest)), "=", h.known.mod),
		clientv3.Compare(clientv3.CreateRevision(h.key()), "=", h.created),
	}
	if p.displaced != 0 {
		all = append(all, clientv3.Compare(clientv3.CreateRevision(h.store.keys.life(h.digest, p.displaced)), "=", 0))
	}
	return all
}

// puts writes the record, its place in history and when that was, all or none (I11).
// A publish that is repeated keeps the time of the first.
func (h *hold) puts(p publication, now time.Time) []clientv3.Op {
	keys, revision := h.store.keys, ownership.RevisionOf(p.bytes)
	all := []clientv3.Op{
		clientv3.OpPut(keys.record(h.digest), string(p.bytes)),
		clientv3.OpPut(keys.past(h.digest, revision), string(p.bytes)),
	}
	if revision != p.previous {
		all = append(all,
			clientv3.OpPut(keys.event(h.digest, revision), newEvent(h, p, revision, now)),
			clientv3.OpPut(keys.published(now, h.digest, revision), ""))
	}
	if p.last {
		all = append(all, clientv3.OpDelete(h.key()))
	}
	if p.aside {
		all = append(all, clientv3.OpPut(keys.quarantine(h.digest, p.previous), string(h.known.whole)))
	}
	return all
}

// questions are asked in the same step where the conditions do not hold.
func (h *hold) questions(p publication) []clientv3.Op {
	all := []clientv3.Op{
		clientv3.OpGet(h.store.keys.record(h.digest)),
		clientv3.OpGet(h.key(), clientv3.WithKeysOnly()),
	}
	if p.displaced != 0 {
		all = append(all, clientv3.OpGet(h.store.keys.life(h.digest, p.displaced), clientv3.WithKeysOnly()))
	}
	return all
}

// refused says which condition did not hold.
func (h *hold) refused(p publication, answer *clientv3.TxnResponse) error {
	h.known = loadedFrom(answer.Responses[0].GetResponseRange().Kvs)
	mine := answer.Responses[1].GetResponseRange().Kvs
	switch {
	case len(mine) == 0 || mine[0].CreateRevision != h.created:
		return lost(h.store.at(h.key()), errLifeKeyGone)
	case p.displaced != 0 && len(answer.Responses[2].GetResponseRange().Kvs) > 0:
		return &lease.StoreError{Kind: lease.ErrHeld, Op: publishOp, Path: h.store.at(h.store.keys.life(h.digest, p.displaced))}
	}
	return h.conflict("it is now " + revisionInWords(h.known.Stored))
}

// unanswered sorts what went wrong into the outcomes that callers are promised (I9).
// A caller who went away while the transaction was on its way does not know either.
func (h *hold) unanswered(err error) error {
	key := h.store.keys.record(h.digest)
	if definite(err) {
		return h.store.explained(publishOp, key, err)
	}
	return &lease.StoreError{
		Kind: lease.ErrOutcomeUnknown, Op: publishOp, Path: h.store.at(key), Err: fmt.Errorf("no answer: %w", err),
		Advice: "inspect the session; own nothing until then",
	}
}
