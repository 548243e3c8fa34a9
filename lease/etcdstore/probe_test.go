package etcdstore

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"holdfast/admin"
	"holdfast/internal/procid"
	"holdfast/lease"
	"holdfast/ownership"
)

// A life key that is gone is told with when it went and where its owner ran; on another
// machine it proves nothing.
func TestOwnerOnAnotherMachine(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	key := keyOf(t, "web/42")
	l, err := lease.Acquire(t.Context(), s, key, lease.Owner{Kind: "test"})
	require.NoError(t, err)
	record := l.Record()
	require.NoError(t, l.Abandon(t.Context(), "the machine is cut off"))
	live, err := s.Probe(t.Context(), record)
	require.NoError(t, err)
	require.Equal(t, ownership.Gone, live.Verdict, "it says so itself, on this machine: %+v", live.Evidence)
	require.Eventually(t, func() bool {
		return strings.Contains(s.Recall(t.Context(), record).Detail, "the life key went some time between ")
	}, hang, tick, "it is given up soon, since nothing rests on it")

	record.Owner.BootID, record.Owner.Host = new("another-boot"), "otherbox"
	live, err = s.Probe(t.Context(), record)
	require.NoError(t, err)
	require.Equal(t, ownership.Unproven, live.Verdict)
	last := live.Evidence[len(live.Evidence)-1].Detail
	require.True(t, strings.Contains(last, `"otherbox"`) && strings.Contains(last, "ps -o pid"), last)
}

// A machine is believed to be one that restarted only where no container can have taken
// its place.
func TestMatchHost(t *testing.T) {
	id, boot, later, initial, inner := strings.Repeat("ab", 32), "boot-1", "boot-2", uint64(initialNamespace), uint64(4026532000)
	digest, err := ownership.ParseDigest(id)
	require.NoError(t, err)
	owner := func(host string, boot *string, namespace *uint64) ownership.Owner {
		return ownership.Owner{Host: host, HostID: &digest, BootID: boot, PIDNamespace: namespace}
	}
	here := procid.Host{Name: "devbox", ID: &id, BootID: &later, PIDNamespace: &initial}
	for _, c := range []struct {
		want  hostMatch
		owner ownership.Owner
	}{
		{sameBoot, owner("renamed", &later, &inner)},
		{restarted, owner("devbox", &boot, &initial)},
		{elsewhere, owner("devbox", &boot, &inner)},
		{elsewhere, owner("otherbox", &boot, &initial)},
		{elsewhere, owner("devbox", nil, &initial)},
		{elsewhere, owner("devbox", &boot, nil)},
	} {
		require.Equal(t, c.want, matchHost(c.owner, here), "%+v", c.owner)
	}
}

// A waiter is told at once, and asks for nothing meanwhile.
func TestWaiterIsTold(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	key := keyOf(t, "web/42")
	l, err := lease.Acquire(t.Context(), s, key, lease.Owner{Kind: "test"})
	require.NoError(t, err)
	other := openStore(t, s.config)
	waiting, got := make(chan struct{}), make(chan error, 1)
	go func() {
		next, err := lease.Acquire(t.Context(), other, key, lease.Owner{Kind: "test", Wait: hang, Waiting: func(*lease.Refusal) { close(waiting) }})
		if err == nil {
			err = next.Release(t.Context())
		}
		got <- err
	}()
	<-waiting
	require.NoError(t, l.Release(t.Context()))
	select {
	case err := <-got:
		require.NoError(t, err)
	case <-time.After(hang):
		require.Fail(t, "it was not told")
	}
}

// Whatever a waiter had of a lease before is no good: one that lapsed while it waited
// gives it nothing, and what it gets, it gets on a lease in force.
func TestLeaseThatLapsesWhileWaiting(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	client := rawClient(t, s.config.Endpoints...)
	mine, err := lease.Acquire(t.Context(), s, keyOf(t, "mine"), lease.Owner{Kind: "test"})
	require.NoError(t, err)
	hold, err := s.Hold(t.Context(), keyOf(t, "web/42").Digest(), 1)
	require.NoError(t, err)
	_, err = client.Revoke(t.Context(), s.link.term.id)
	require.NoError(t, err)

	require.ErrorIs(t, s.Publish(t.Context(), hold, ownership.Revision{}, []byte("x")), lease.ErrOwnershipLost)
	select {
	case <-mine.Context().Done():
		require.ErrorIs(t, mine.Release(t.Context()), lease.ErrOwnershipLost)
	case <-time.After(hang):
		require.Fail(t, "the loss was not seen")
	}
	requireUsable(t, s) // on a lease of its own
}

// plantElsewhere makes a session that is held by an owner on another machine.
func plantElsewhere(t *testing.T, s *Store, key ownership.Key) {
	t.Helper()
	o := ownership.Owner{
		Kind: "test", OperationID: ownership.OperationID{1}, User: "ana", Host: "otherbox", BootID: new("0b4e1a2c-0000-4000-8000-000000000001"),
		PID: 4711, Program: "claude", AcquiredAt: ownership.At(time.Now()),
	}
	r, err := ownership.Acquire(ownership.Current{}, ownership.Claim{Key: key, Owner: o})
	require.NoError(t, err)
	b, err := ownership.Encode(r)
	require.NoError(t, err)
	client, err := s.link.use()
	require.NoError(t, err)
	_, err = client.Txn(t.Context()).Then(
		clientv3.OpPut(s.keys.record(key.Digest()), string(b)),
		clientv3.OpPut(s.keys.life(key.Digest(), 1), `{"host":"otherbox","bootId":"0b4e1a2c-0000-4000-8000-000000000001","pid":4711,"program":"claude"}`),
	).Commit()
	require.NoError(t, err)
}

// A worker of which nothing can be told from here is told with why that is.
func TestClassOfAWorkerOnAnotherMachine(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	plantElsewhere(t, s, keyOf(t, "web/42"))
	for row, err := range admin.ListWide(t.Context(), s, nil) {
		require.NoError(t, err)
		require.Equal(t, ownership.StateHeld, row.State)
		require.Equal(t, string(admin.ClassUnknown), *row.Class)
		last := row.ClassEvidence[len(row.ClassEvidence)-1]
		require.Equal(t, ownership.Unknown, last.Finding)
		require.Contains(t, last.Detail, `it runs on "otherbox"`)
	}
}
