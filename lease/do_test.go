package lease_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/lease"
	"holdfast/ownership"
)

func TestDoReleasesOnlyWhatSaidThatItStopped(t *testing.T) { // I5
	failed := errors.New("the work failed")
	for name, c := range map[string]struct {
		body  func(context.Context, *lease.Lease) error
		wants []error
		state ownership.State
	}{
		"quiesced":            {func(_ context.Context, l *lease.Lease) error { l.Quiesced(); return nil }, nil, ownership.StateIdle},
		"failed but quiesced": {func(_ context.Context, l *lease.Lease) error { l.Quiesced(); return failed }, []error{failed}, ownership.StateIdle},
		"silent":              {func(context.Context, *lease.Lease) error { return nil }, []error{lease.ErrNotQuiescent}, ownership.StateStranded},
		"failed":              {func(context.Context, *lease.Lease) error { return failed }, []error{failed, lease.ErrNotQuiescent}, ownership.StateStranded},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := newStore(t)
			err := lease.Do(t.Context(), s, key(t, "k"), lease.Owner{}, c.body)
			if c.wants == nil {
				require.NoError(t, err)
			}
			for _, want := range c.wants {
				require.ErrorIs(t, err, want)
			}
			require.Equal(t, c.state, inspect(t, s, "k").State)
		})
	}
}

func TestDoStrandsAPanic(t *testing.T) {
	s, _ := newStore(t)
	require.PanicsWithValue(t, "boom", func() {
		_ = lease.Do(t.Context(), s, key(t, "k"), lease.Owner{}, func(context.Context, *lease.Lease) error { panic("boom") })
	})
	require.Equal(t, ownership.StateStranded, inspect(t, s, "k").State)
}

func TestDoFinishesWhenItsCallerIsGone(t *testing.T) {
	s, _ := newStore(t)
	ctx, cancel := context.WithCancel(t.Context())
	err := lease.Do(ctx, s, key(t, "k"), lease.Owner{}, func(work context.Context, l *lease.Lease) error {
		cancel()
		<-work.Done()
		l.Quiesced()
		return work.Err()
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, ownership.StateIdle, inspect(t, s, "k").State)
}
