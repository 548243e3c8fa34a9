package lease_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/lease"
	"holdfast/ownership"
)

func TestWaitTakesOverWhenTheHolderReleases(t *testing.T) {
	s, dir := newStore(t)
	l := acquire(t, s, "k", lease.Owner{})
	waiting := make(chan *lease.Refusal, 10)
	done := make(chan error, 1)
	go func() {
		next, err := lease.Acquire(context.Background(), openStore(t, dir), key(t, "k"), lease.Owner{
			Wait:    time.Hour,
			Waiting: func(r *lease.Refusal) { waiting <- r },
		})
		if err == nil {
			err = next.Release(context.Background())
		}
		done <- err
	}()
	require.Equal(t, ownership.ReasonActiveOwner, (<-waiting).Reason)
	require.NoError(t, l.Release(t.Context()))
	require.NoError(t, <-done)
	require.Empty(t, waiting, "it is said once")
	require.Equal(t, ownership.Generation(2), inspect(t, s, "k").Record.Generation)
}

func TestWaitEndsWithTheLastRefusal(t *testing.T) {
	s, dir := newStore(t)
	l := acquire(t, s, "k", lease.Owner{})
	before := fingerprint(t, dir)
	_, err := lease.Acquire(t.Context(), s, key(t, "k"), lease.Owner{Wait: time.Millisecond})
	require.ErrorIs(t, err, lease.ErrWaitTimeout)
	var refusal *lease.Refusal
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, before, fingerprint(t, dir)) // I8
	require.NoError(t, l.Release(t.Context()))
}

func TestWaitObeysItsContextAtOnce(t *testing.T) {
	s, _ := newStore(t)
	l := acquire(t, s, "k", lease.Owner{})
	ctx, cancel := context.WithCancelCause(t.Context())
	interrupted := errors.New("interrupted")
	_, err := lease.Acquire(ctx, s, key(t, "k"), lease.Owner{
		Wait:    time.Hour,
		Waiting: func(*lease.Refusal) { cancel(interrupted) },
	})
	require.ErrorIs(t, err, interrupted)
	require.NoError(t, l.Release(t.Context()))
}
