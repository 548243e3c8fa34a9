package etcdstore

import (
	"context"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/lease"
	"holdfast/ownership"
)

// clouded is a store that some looks do not reach.
type clouded struct {
	*Store
	dead *Store       // at an address where nobody listens
	left atomic.Int64 // looks that fail
	dark chan struct{}
}

func (s *clouded) Load(ctx context.Context, d ownership.Digest) (lease.Stored, error) {
	if s.left.Add(-1) < 0 {
		return s.Store.Load(ctx, d)
	}
	stored, err := s.dead.Load(ctx, d)
	select {
	case s.dark <- struct{}{}:
	default:
	}
	return stored, err
}

func newClouded(t *testing.T, c Config) *clouded {
	t.Helper()
	dead := c
	dead.Endpoints = []string{"127.0.0.1:1"}
	return &clouded{Store: openStore(t, c), dead: openStore(t, dead), dark: make(chan struct{}, 1)}
}

// acquireMeanwhile waits for a session in the background, and says when it begins to.
func acquireMeanwhile(t *testing.T, s lease.Store, wait time.Duration, begins func()) (got chan error) {
	got = make(chan error, 1)
	o := lease.Owner{Kind: "test", Wait: wait, Waiting: func(*lease.Refusal) { begins() }}
	go func() {
		l, err := lease.Acquire(t.Context(), s, keyOf(t, "web/42"), o)
		if err == nil {
			err = l.Release(t.Context())
		}
		got <- err
	}()
	return got
}

// A wait lasts as long as its caller said, whether or not the cluster does.
func TestWaitOutlastsAnOutage(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	l, err := lease.Acquire(t.Context(), s, keyOf(t, "web/42"), lease.Owner{Kind: "test"})
	require.NoError(t, err)

	other := newClouded(t, s.config)
	got := acquireMeanwhile(t, other, hang, func() { other.left.Store(1) })
	<-other.dark
	require.NoError(t, l.Release(t.Context()))
	require.NoError(t, <-got)
}

// What cannot be reached at the end of a wait is not called held.
func TestWaitEndsInAnOutage(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	_, err := lease.Acquire(t.Context(), s, keyOf(t, "web/42"), lease.Owner{Kind: "test"})
	require.NoError(t, err)

	other := newClouded(t, s.config)
	got := acquireMeanwhile(t, other, time.Millisecond, func() { other.left.Store(math.MaxInt64) })
	err = <-got
	require.ErrorIs(t, err, lease.ErrStoreUnavailable)
	require.NotErrorIs(t, err, lease.ErrWaitTimeout)
}

// A publish without an answer ends a wait: trying again would be a guess (I9).
func TestWaitEndsWithAnUnknownOutcome(t *testing.T) {
	t.Parallel()
	s, past, p := between(t)
	l, err := lease.Acquire(t.Context(), past, keyOf(t, "web/42"), lease.Owner{Kind: "test"})
	require.NoError(t, err)

	waiting := make(chan struct{})
	got := acquireMeanwhile(t, interrupted{s, func() { p.keep(false, true) }}, hang, func() { close(waiting) })
	<-waiting
	require.NoError(t, l.Release(t.Context()))
	require.ErrorIs(t, <-got, lease.ErrOutcomeUnknown)
	p.cut()
}
