package lease_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/lease"
	"holdfast/ownership"
)

// releasedBetween has the owner release between a look at the record and the probe.
type releasedBetween struct {
	lease.Store
	release func()
}

func (s *releasedBetween) Probe(ctx context.Context, r ownership.Record) (ownership.Liveness, error) {
	s.release()
	return s.Store.Probe(ctx, r)
}

// A record is never judged by a probe of what has replaced it.
func TestARecordIsNotJudgedByALaterProbe(t *testing.T) {
	s, _ := newStore(t)
	l := acquire(t, s, "k", lease.Owner{})
	released := false
	between := &releasedBetween{s, func() {
		if !released {
			released = true
			require.NoError(t, l.Release(t.Context()))
		}
	}}
	require.Equal(t, ownership.StateIdle, inspect(t, between, "k").State)
	require.True(t, released)
}
