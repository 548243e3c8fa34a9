package etcdstore

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"holdfast/admin"
	"holdfast/internal/etcdtest"
	"holdfast/internal/testkit"
	"holdfast/lease"
	"holdfast/ownership"
)

const (
	workers     = 6
	clusterTTL  = 3 * time.Second
	faultLasts  = 2 * clusterTTL
	healthLasts = 3 * time.Second
)

// Whatever becomes of the servers and the network between them, one order explains what
// all owners were told (I2, I3, I6).
func TestClusterUnderFaults(t *testing.T) {
	if testkit.Rounds(0, 1) == 0 {
		t.Skipf("it takes minutes: set %s=1", testkit.LongVariable)
	}
	c := etcdtest.NewCluster(t)
	h := &history{start: time.Now()}
	config := Config{Endpoints: c.Endpoints(), Prefix: "test/cluster", TTL: clusterTTL}
	working, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for n := range workers {
		w := &worker{history: h, store: openStore(t, config), id: n, key: keyOf(t, fmt.Sprintf("web/%d", n%2))}
		all.Go(func() { w.work(working) })
	}
	for _, fault := range faults {
		t.Log(fault.name)
		member := fault.whom(t, c)
		fault.harm(t, c, member)
		sleep(t.Context(), faultLasts)
		fault.heal(t, c, member)
		sleep(t.Context(), healthLasts)
	}
	stop()
	all.Wait()
	for n := range 2 {
		h.judge(t, openStore(t, config), keyOf(t, fmt.Sprintf("web/%d", n)))
	}
}

// fault is one thing that happens to a cluster.
type fault struct {
	name string
	whom func(*testing.T, *etcdtest.Cluster) *etcdtest.Member
	harm func(*testing.T, *etcdtest.Cluster, *etcdtest.Member)
	heal func(*testing.T, *etcdtest.Cluster, *etcdtest.Member)
}

var faults = []fault{
	{"leader cut off", leader, cut("INPUT", "OUTPUT"), heal},
	{"follower cut off", follower, cut("INPUT", "OUTPUT"), heal},
	{"leader deaf", leader, cut("INPUT"), heal},
	{"leader dumb", leader, cut("OUTPUT"), heal},
	{"leader stopped", leader, stopped, continued},
	{"follower killed", follower, killed, started},
	{"leader killed", leader, killed, started},
	{"all killed", leader, allKilled, allStarted},
}

func leader(t *testing.T, c *etcdtest.Cluster) *etcdtest.Member { return memberWho(t, c, true) }

func follower(t *testing.T, c *etcdtest.Cluster) *etcdtest.Member { return memberWho(t, c, false) }

func memberWho(t *testing.T, c *etcdtest.Cluster, leads bool) (found *etcdtest.Member) {
	t.Helper()
	client := rawClient(t, c.Endpoints()...)
	require.Eventually(t, func() bool {
		for _, m := range c.Members {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			status, err := client.Status(ctx, m.Address)
			cancel()
			if err == nil && status.Leader != 0 && (status.Leader == status.Header.MemberId) == leads {
				found = m
				return true
			}
		}
		return false
	}, hang, tick)
	return found
}

func cut(chains ...string) func(*testing.T, *etcdtest.Cluster, *etcdtest.Member) {
	return func(t *testing.T, _ *etcdtest.Cluster, m *etcdtest.Member) { m.Cut(t, chains...) }
}

func heal(t *testing.T, _ *etcdtest.Cluster, m *etcdtest.Member)      { m.Heal(t) }
func stopped(t *testing.T, _ *etcdtest.Cluster, m *etcdtest.Member)   { m.Stop(t) }
func continued(t *testing.T, _ *etcdtest.Cluster, m *etcdtest.Member) { m.Continue(t) }
func killed(_ *testing.T, _ *etcdtest.Cluster, m *etcdtest.Member)    { m.Kill() }
func started(t *testing.T, _ *etcdtest.Cluster, m *etcdtest.Member)   { m.Start(t) }

func allKilled(_ *testing.T, c *etcdtest.Cluster, _ *etcdtest.Member) {
	for _, m := range c.Members {
		m.Kill()
	}
}

func allStarted(t *testing.T, c *etcdtest.Cluster, _ *etcdtest.Member) {
	for _, m := range c.Members {
		m.Start(t)
	}
}

// history is what all workers were told.
type history struct {
	start time.Time
	mu    sync.Mutex
	told  map[ownership.Digest][]porcupine.Operation
	open  map[ownership.Digest][]porcupine.Operation // without an answer
}

func (h *history) now() int64 { return int64(time.Since(h.start)) }

func (h *history) note(d ownership.Digest, client int, call int64, e step) {
	h.add(&h.told, d, porcupine.Operation{ClientId: client, Input: e, Call: call, Return: h.now()})
}

// later notes what may happen yet, at any time.
func (h *history) later(d ownership.Digest, client int, call int64, e step) {
	h.add(&h.open, d, porcupine.Operation{ClientId: client, Input: e, Call: call, Return: math.MaxInt64})
}

func (h *history) add(to *map[ownership.Digest][]porcupine.Operation, d ownership.Digest, o porcupine.Operation) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if *to == nil {
		*to = map[ownership.Digest][]porcupine.Operation{}
	}
	(*to)[d] = append((*to)[d], o)
}

// judge looks up in the session's history what became of what went unanswered.
func (h *history) judge(t *testing.T, s *Store, key ownership.Key) {
	t.Helper()
	d := key.Digest()
	published := map[step]bool{}
	var last ownership.Generation
	for p, err := range s.Published(t.Context(), d) {
		require.NoError(t, err)
		r := p.Reading(d).Record
		require.NotNil(t, r)
		require.GreaterOrEqual(t, r.Generation, last, "I2")
		last = r.Generation
		published[stepOf(*r)] = true
	}
	events := h.told[d]
	for _, o := range events {
		if e := o.Input.(step); e.deed != gaveUp {
			require.True(t, published[e], "%+v was told and is not in history (I11)", e)
		}
	}
	client := workers
	for _, o := range h.open[d] {
		e := o.Input.(step)
		for p := range published {
			sameDeed := p.deed == e.deed || p.deed == acquired && e.deed == orphaned
			if sameDeed && p.owner == e.owner && (e.generation == 0 || e.generation == p.generation) {
				client++ // it is on its way while its client goes on
				e.generation = p.generation
				events = append(events, porcupine.Operation{ClientId: client, Input: e, Call: o.Call, Return: o.Return})
				break
			}
		}
	}
	t.Logf("%q: %d told, %d unanswered, generation %d", key, len(h.told[d]), len(h.open[d]), last)
	require.Equal(t, porcupine.Ok, porcupine.CheckOperationsTimeout(model, events, hang), "no order explains what happened to %q", key)
}

func stepOf(r ownership.Record) step {
	switch {
	case r.State == ownership.RecordActive:
		return step{acquired, r.Owner.Kind, r.Generation}
	case *r.Release == ownership.ReleaseAcknowledged:
		return step{released, r.Owner.Kind, r.Generation}
	}
	return step{recovered, r.Owner.Kind, r.Generation}
}

// worker owns a session again and again, and recovers it where nobody can.
type worker struct {
	*history
	store *Store
	id    int
	key   ownership.Key
	round int
}

func (w *worker) work(ctx context.Context) {
	for ctx.Err() == nil {
		w.round++
		owner := fmt.Sprintf("w%d-%d", w.id, w.round)
		call := w.now()
		l, err := lease.Acquire(ctx, w.store, w.key, lease.Owner{Kind: owner})
		var refusal *lease.Refusal
		switch {
		case err == nil:
			w.note(w.key.Digest(), w.id, call, step{acquired, owner, l.Generation()})
			w.own(l, owner)
		case errors.Is(err, lease.ErrOutcomeUnknown), ctx.Err() != nil:
			w.later(w.key.Digest(), w.id, call, step{deed: orphaned, owner: owner})
		case errors.As(err, &refusal) && refusal.Reason == ownership.ReasonRecoveryRequired:
			w.recover(ctx, refusal.Inspection)
		}
		sleep(ctx, time.Duration(w.id+1)*7*time.Millisecond)
	}
}

// own works for a while, most often briefly, sometimes through a fault.
func (w *worker) own(l *lease.Lease, owner string) {
	d, g := w.key.Digest(), l.Generation()
	pause := 5 * time.Millisecond
	if w.round%20 == 0 {
		pause = faultLasts
	}
	select {
	case <-l.Context().Done():
		w.note(d, w.id, w.now(), step{gaveUp, owner, g})
		_ = l.Abandon(context.Background(), "lost") // it says so itself
		return
	case <-time.After(pause):
	}
	call := w.now()
	err := l.Release(context.Background())
	switch {
	case err == nil:
		w.note(d, w.id, call, step{released, owner, g})
	case errors.Is(err, lease.ErrOutcomeUnknown):
		w.later(d, w.id, call, step{released, owner, g})
		w.note(d, w.id, call, step{gaveUp, owner, g})
	default:
		w.note(d, w.id, call, step{gaveUp, owner, g})
		_ = l.Abandon(context.Background(), "not released")
	}
}

func (w *worker) recover(ctx context.Context, i lease.Inspection) {
	call := w.now()
	receipt, err := admin.Recover(ctx, w.store, admin.Recovery{
		Target: admin.ByKey(w.key), Expect: i.Stored.Revision, Actor: fmt.Sprintf("w%d@%d", w.id, os.Getpid()),
		Consent: admin.Force | admin.AcceptUnproven, Snapshot: admin.SnapshotSkip,
	})
	e := step{deed: recovered, owner: i.Record.Owner.Kind}
	switch {
	case err == nil && !receipt.Replayed:
		e.generation = receipt.Generation
		w.note(w.key.Digest(), w.id, call, e)
	case errors.Is(err, lease.ErrOutcomeUnknown):
		e.generation = i.Record.Generation + 1
		w.later(w.key.Digest(), w.id, call, e)
	}
}
