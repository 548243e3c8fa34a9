package etcdstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"holdfast/lease"
	"holdfast/ownership"
)

// A term is renewed often, and counted as lost while there is time left to stop what was
// started before the cluster lets go of it.
const (
	renewalsPerTTL = 5 // renewals in one TTL when all goes well
	graceShare     = 3 // the grace is the TTL divided by this
	retryPause     = 250 * time.Millisecond
)

// term is one lease of this process. It ends once and never comes back.
type term struct {
	id       clientv3.LeaseID
	ttl      time.Duration // as the cluster granted it
	patience time.Duration // for one answer
	cancel   context.CancelFunc
	ended    chan struct{}

	mu      sync.Mutex
	expires time.Duration // by sinceBoot: the cluster keeps the lease until then at least
	why     error         // nil while the term is in force
	orphans []orphan
}

// orphan is a life key whose deletion, or creation, had no answer. While the term lives,
// so would it.
type orphan struct {
	key, holder string
	until       time.Duration // by sinceBoot: it may come into being until then
}

// beginTerm asks for a lease. Time counts from before the question: the cluster's own
// count can only have begun later.
func beginTerm(ctx context.Context, client *clientv3.Client, c Config) (*term, error) {
	asked := sinceBoot()
	ctx, cancel := context.WithTimeout(clientv3.WithRequireLeader(ctx), c.patience())
	defer cancel()
	granted, err := client.Grant(ctx, int64(c.TTL/time.Second))
	if err != nil {
		return nil, err
	}
	t := &term{id: granted.ID, patience: c.patience(), ttl: time.Duration(granted.TTL) * time.Second, ended: make(chan struct{})}
	t.expires = asked + t.ttl
	renewing, stop := context.WithCancel(context.Background())
	t.cancel = stop
	go t.renew(renewing, client)
	return t, nil
}

// grace is how long before its end a term counts as lost.
func (t *term) grace() time.Duration { return t.ttl / graceShare }

// left is how long the term stays in force without a renewal.
func (t *term) left() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return max(0, t.expires-t.grace()-sinceBoot()) + time.Millisecond
}

// over returns why the term is not in force any more, or nil. It looks at the clock
// itself: a process that was stopped asks before its timers have run.
func (t *term) over() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.why == nil && sinceBoot() >= t.expires-t.grace() {
		t.finish(&lease.LapseError{TTL: t.ttl, Until: time.Now().Add(t.expires - sinceBoot())})
	}
	return t.why
}

// finish ends the term. The caller has mu.
func (t *term) finish(why error) {
	if t.why == nil {
		t.why = why
		close(t.ended)
		t.cancel()
	}
}

// revoked ends a term that the cluster does not know any more.
func (t *term) revoked() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.finish(errRevoked)
}

// errLifeKeyGone is what an owner finds that was not heard of, or whose lease was revoked.
var errLifeKeyGone = errors.New("the life key is gone: the cluster did not hear of this process for too long, or somebody revoked its lease")

var errRevoked = errors.New("the cluster does not know the lease of this process any more")

// end gives the lease back, and with it everything that is held on it.
func (t *term) end(client *clientv3.Client) {
	t.mu.Lock()
	t.finish(errClosed)
	t.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), t.patience/5)
	defer cancel()
	_, _ = client.Revoke(ctx, t.id) // unanswered: it ends by itself, within its TTL
}

// renew keeps the term in force until it is over.
func (t *term) renew(ctx context.Context, client *clientv3.Client) {
	every := t.ttl / renewalsPerTTL
	for t.over() == nil {
		err := t.renewOn(ctx, client, every)
		if errors.Is(err, errRevoked) {
			t.revoked()
			return
		}
		sleep(ctx, min(every/4, retryPause, t.left())) // then on another connection
	}
}

// renewOn renews on one stream for as long as each renewal is answered.
func (t *term) renewOn(ctx context.Context, client *clientv3.Client, every time.Duration) error {
	ctx, cancel := context.WithCancel(clientv3.WithRequireLeader(ctx))
	defer cancel()
	hung := time.AfterFunc(min(every, t.left()), cancel) // one server that is silent must not use up the term
	defer hung.Stop()
	stream, err := pb.NewLeaseClient(client.ActiveConnection()).LeaseKeepAlive(ctx)
	for err == nil {
		hung.Reset(min(every, t.left()))
		asked := sinceBoot()
		if err = stream.Send(&pb.LeaseKeepAliveRequest{ID: int64(t.id)}); err != nil {
			return err
		}
		var answer *pb.LeaseKeepAliveResponse
		if answer, err = stream.Recv(); err != nil {
			return err
		}
		if answer.TTL <= 0 {
			return errRevoked
		}
		hung.Stop()
		t.renewed(asked + time.Duration(answer.TTL)*time.Second)
		t.deleteOrphans(ctx, client)
		if !t.pause(ctx, every) {
			return ctx.Err()
		}
	}
	return err
}

// renewed does not bring back a term that was counted as lost.
func (t *term) renewed(expires time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.why == nil {
		t.expires = max(t.expires, expires)
	}
}

// pause waits until the next renewal, and reports whether there is one.
func (t *term) pause(ctx context.Context, d time.Duration) bool {
	sleep(ctx, min(d, t.left()))
	return t.over() == nil && ctx.Err() == nil
}

func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// disown leaves a life key for the next renewals to delete.
func (t *term) disown(o orphan) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.orphans = append(t.orphans, o)
}

func (t *term) deleteOrphans(ctx context.Context, client *clientv3.Client) {
	t.mu.Lock()
	orphans := t.orphans
	t.orphans = nil
	t.mu.Unlock()
	for _, o := range orphans {
		if err := t.deleteHeld(ctx, client, o.key, o.holder); err != nil || sinceBoot() < o.until {
			t.disown(o)
		}
	}
}

// deleteHeld deletes a life key if it is still the one that its holder created.
func (t *term) deleteHeld(ctx context.Context, client *clientv3.Client, key, holder string) error {
	ctx, cancel := context.WithTimeout(clientv3.WithRequireLeader(ctx), t.patience)
	defer cancel()
	_, err := client.Txn(ctx).
		If(clientv3.Compare(clientv3.Value(key), "=", holder)).
		Then(clientv3.OpDelete(key)).Commit()
	return err
}

// lost is what the end of a term means to those who hold something on it. It says when
// that was noticed.
func lost(path string, why error) error {
	return &lease.StoreError{
		Kind: lease.ErrOwnershipLost, Op: "keep life key", Path: path, Err: fmt.Errorf("%w; noticed at %s", why, ownership.At(time.Now())),
		Advice: "stop what was started: somebody else may own the session now",
	}
}
