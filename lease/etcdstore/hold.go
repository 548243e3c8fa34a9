package etcdstore

import (
	"context"
	"errors"
	"os"
	"sync"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"holdfast/lease"
	"holdfast/ownership"
)

// hold is a life key of this process.
type hold struct {
	store      *Store
	term       *term
	digest     ownership.Digest
	generation ownership.Generation
	holder     string // what the key holds: nobody else's is the same
	created    int64  // revision of the cluster that created the key

	mu        sync.Mutex
	ended     bool
	known     loaded // the record, as of the latest transaction under this hold
	published loaded // the latest that this hold put in force; zero: none
}

func (h *hold) Digest() ownership.Digest         { return h.digest }
func (h *hold) Generation() ownership.Generation { return h.generation }

// Witnessed returns the record of the transaction that created the life key.
func (h *hold) Witnessed() lease.Stored {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.known.Stored
}

// Kin returns nil: what a child inherits is no sign of life to another machine.
func (h *hold) Kin() (*os.File, error) { return nil, nil }

// KinHeld reports false: there is no kin lock.
func (h *hold) KinHeld() (bool, error) { return false, nil }

func (h *hold) key() string { return h.store.keys.life(h.digest, h.generation) }

const holdOp = "take life key"

// Hold creates the life key of generation g, unless there is one, on the lease of this
// process. A lease that the cluster does not know any more is replaced: nothing was held
// on it that still is.
func (s *Store) Hold(ctx context.Context, d ownership.Digest, g ownership.Generation) (lease.Hold, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	h := &hold{store: s, digest: d, generation: g, holder: thisHolder()}
	err := h.begin(ctx)
	if errors.Is(err, rpctypes.ErrLeaseNotFound) {
		h.term.revoked()
		err = h.begin(ctx)
	}
	if err != nil {
		return nil, s.failed(ctx, holdOp, h.key(), err)
	}
	return h, nil
}

func (h *hold) begin(ctx context.Context) (err error) {
	if h.term, err = h.store.link.current(ctx); err != nil {
		return err
	}
	client, err := h.store.link.use()
	if err != nil {
		return err
	}
	return h.take(ctx, client)
}

// take reads the record in the same step: a publish under this hold compares with it.
func (h *hold) take(ctx context.Context, client *clientv3.Client) error {
	ctx, cancel := context.WithTimeout(clientv3.WithRequireLeader(ctx), h.store.config.patience())
	defer cancel()
	answer, err := client.Txn(ctx).
		If(clientv3.Compare(clientv3.CreateRevision(h.key()), "=", 0)).
		Then(clientv3.OpPut(h.key(), h.holder, clientv3.WithLease(h.term.id)), clientv3.OpGet(h.store.keys.record(h.digest))).
		Commit()
	switch {
	case errors.Is(err, rpctypes.ErrLeaseNotFound):
		return err
	case err != nil:
		// It may have been created: whoever it keeps out must not wait for our end.
		h.term.disown(orphan{h.key(), h.holder, sinceBoot() + h.term.ttl})
		return err
	case !answer.Succeeded:
		return &lease.StoreError{Kind: lease.ErrHeld, Op: holdOp, Path: h.store.at(h.key())}
	}
	h.created = answer.Header.Revision
	h.known = loadedFrom(answer.Responses[1].GetResponseRange().Kvs)
	return nil
}

// lostNow returns why the hold does not exclude any more, as far as this process can
// tell without asking.
func (h *hold) lostNow() error {
	if why := h.term.over(); why != nil {
		return lost(h.store.at(h.key()), why)
	}
	return nil
}

// Drop deletes the life key.
func (h *hold) Drop() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.end()
}

// Retire deletes the life key: in this store a generation has no other name.
func (h *hold) Retire() error { return h.Drop() }

// end deletes the key once. One that cannot be deleted now is, with the next renewal of
// the lease, or ends with it.
func (h *hold) end() error {
	if h.ended {
		return nil
	}
	h.ended = true
	if h.term.over() != nil {
		return nil // the key goes with its lease
	}
	client, err := h.store.link.use()
	if err != nil {
		return nil // so does this one
	}
	if err := h.term.deleteHeld(context.Background(), client, h.key(), h.holder); err != nil {
		h.term.disown(orphan{key: h.key(), holder: h.holder})
		return h.store.failed(context.Background(), "free life key", h.key(), err)
	}
	return nil
}
