package storetest

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/testkit"
	"holdfast/lease"
	"holdfast/ownership"
)

func testPublish(t *testing.T, s *suite) {
	store := s.Open()
	h := s.hold(t, store, 1)
	require.Zero(t, s.load(t), "a held life lock is no record")
	first := s.claim(t, ownership.Current{}, thisProcess())
	require.NoError(t, store.Publish(t.Context(), h, ownership.Revision{}, first))
	s.requireStored(t, first)

	c := s.current(t, store)
	r, err := ownership.Describe(c, ownership.Facts{Resume: new("claude --resume 01a0")})
	second := encoded(t, r, err)
	require.NoError(t, store.Publish(t.Context(), h, c.Revision, second))
	s.requireStored(t, second)

	owner{s, store, h}.release(t)
	s.acquire(t, thisProcess())
	require.EqualValues(t, 2, s.current(t, s.Open()).Record.Generation, "I2")
}

// A store keeps bytes: the largest record, and every character that one can hold.
func testEveryByte(t *testing.T, s *suite) {
	o := s.acquire(t, thisProcess())
	text := strings.Repeat("\x00\x1b<&>\u2028\ufffd\U0001f512\x7f", 200)
	o.publish(t, func(c ownership.Current) (ownership.Record, error) {
		return ownership.Describe(c, ownership.Facts{Resume: &text})
	})
	require.Equal(t, text, *s.current(t, s.Open()).Record.Session.Resume)

	o.publish(t, func(c ownership.Current) (ownership.Record, error) { return largest(t, c) })
	require.Len(t, s.load(t).Bytes, ownership.MaxRecordSize)
}

// largest returns a forced record of exactly the largest size.
func largest(t *testing.T, c ownership.Current) (ownership.Record, error) {
	t.Helper()
	f := someForce()
	size := func() int {
		r, err := ownership.Recover(c, f)
		return len(encoded(t, r, err))
	}
	survivor := ownership.Survivor{PID: 1, StartTicks: 1, Program: strings.Repeat("p", ownership.MaxNameSize)}
	base := size()
	f.Survivors = []ownership.Survivor{survivor}
	f.Survivors = append(f.Survivors, survivor)
	each := size() - base
	for each = each / 2; size()+each <= ownership.MaxRecordSize; {
		f.Survivors = append(f.Survivors, survivor)
	}
	f.Reason += strings.Repeat("r", ownership.MaxRecordSize-size())
	return ownership.Recover(c, f)
}

func someForce() ownership.Force {
	who := thisProcess()
	return ownership.Force{At: who.AcquiredAt, Actor: "ana@devbox", Reason: "OOM", Liveness: ownership.Gone}
}

// I6: a publish names what it replaces.
func testConflict(t *testing.T, s *suite) {
	store := s.Open()
	h := s.hold(t, store, 1)
	b := s.claim(t, ownership.Current{}, thisProcess())
	s.requireUnchanged(t, func() {
		require.ErrorIs(t, store.Publish(t.Context(), h, ownership.Revision{1}, b), lease.ErrConflict)
	})
	require.NoError(t, store.Publish(t.Context(), h, ownership.Revision{}, b))

	stale := ownership.RevisionOf(b)
	o := owner{s, store, h}
	o.publish(t, func(c ownership.Current) (ownership.Record, error) {
		return ownership.Describe(c, ownership.Facts{Resume: new("x")})
	})
	r, err := ownership.ReleaseAcknowledge(s.current(t, store))
	idle := encoded(t, r, err)
	for _, previous := range []ownership.Revision{{}, {1}, stale, ownership.RevisionOf(idle)} {
		s.requireUnchanged(t, func() {
			err := store.Publish(t.Context(), h, previous, idle)
			require.ErrorIs(t, err, lease.ErrConflict)
			require.NotErrorIs(t, err, lease.ErrOutcomeUnknown)
		})
	}
	o.release(t) // a conflict does not harm the hold
}

// I3: without the life lock nothing is written, and that is certain (I9).
func testPublishWithoutHold(t *testing.T, s *suite) {
	s.acquire(t, thisProcess()).release(t)
	c := s.current(t, s.Open())
	b := s.claim(t, c, thisProcess())
	store := s.Open()
	dropped := s.hold(t, store, 2)
	require.NoError(t, dropped.Drop())
	for _, h := range []lease.Hold{nil, dropped} {
		s.requireRefusedPublish(t, store, h, c.Revision, b)
	}
	o := s.acquire(t, thisProcess())
	o.release(t)
	c = s.current(t, s.Open())
	s.requireRefusedPublish(t, o.store, o.Hold, c.Revision, s.claim(t, c, thisProcess()))
}

func (s *suite) requireRefusedPublish(t *testing.T, store lease.Store, h lease.Hold, previous ownership.Revision, b []byte) {
	t.Helper()
	s.requireUnchanged(t, func() {
		err := store.Publish(t.Context(), h, previous, b)
		require.Error(t, err)
		require.NotErrorIs(t, err, lease.ErrOutcomeUnknown)
	})
}

// I8: what was called off before it began changes nothing.
func testEndedContext(t *testing.T, s *suite) {
	store := s.Open()
	s.requireUntouched(t, func() {
		_, err := store.Hold(ended(), s.d, 1)
		require.ErrorIs(t, err, ended().Err())
		_, err = store.Load(ended(), s.d)
		require.ErrorIs(t, err, ended().Err())
	})
	h := s.hold(t, store, 1)
	s.requireUntouched(t, func() {
		err := store.Publish(ended(), h, ownership.Revision{}, s.claim(t, ownership.Current{}, thisProcess()))
		require.ErrorIs(t, err, ended().Err())
		require.NotErrorIs(t, err, lease.ErrOutcomeUnknown)
	})
}

const contenders = 20

// rounds is how often they contend.
var rounds = testkit.Rounds(10, 50)

// I6: of many who replace one revision, each under a life lock of its own, exactly one
// does. Only the comparison protects them from each other.
func testManyPublishers(t *testing.T, s *suite) {
	s.acquire(t, thisProcess()).release(t)
	for range rounds {
		c := s.current(t, s.Open())
		first := c.Record.Generation + 1
		winners := s.contend(t, c, func(i int) ownership.Generation { return first + ownership.Generation(i) })
		require.Len(t, winners, 1)
		s.requireStored(t, winners[0])
	}
}

// Of many who claim the next generation of one revision, exactly one gets it.
func testManyClaimants(t *testing.T, s *suite) {
	s.acquire(t, thisProcess()).release(t)
	for range rounds {
		c := s.current(t, s.Open())
		g, err := c.NextGeneration()
		require.NoError(t, err)
		winners := s.contend(t, c, func(int) ownership.Generation { return g })
		require.Len(t, winners, 1)
		s.requireStored(t, winners[0])
	}
}

// contend lets many publish over c at once, and returns what those who did published.
func (s *suite) contend(t *testing.T, c ownership.Current, generation func(i int) ownership.Generation) (winners [][]byte) {
	t.Helper()
	start := make(chan struct{})
	outcomes := make([]error, contenders)
	bytes := make([][]byte, contenders)
	var all sync.WaitGroup
	for i := range contenders {
		store := s.Open()
		bytes[i] = s.contender(t, c, generation(i))
		all.Go(func() {
			<-start
			outcomes[i] = s.publishOnce(t, store, generation(i), c.Revision, bytes[i])
		})
	}
	close(start)
	all.Wait()
	for i, err := range outcomes {
		if err == nil {
			winners = append(winners, bytes[i])
			continue
		}
		require.True(t, errors.Is(err, lease.ErrConflict) || errors.Is(err, lease.ErrHeld), "%v", err)
	}
	return winners
}

// contender is an idle record over c, so that the next round can go on from it.
func (s *suite) contender(t *testing.T, c ownership.Current, g ownership.Generation) []byte {
	t.Helper()
	who := thisProcess()
	how := ownership.ReleaseAcknowledged
	r := ownership.Record{
		KeyDigest: s.d, Generation: g, PreviousRevision: &c.Revision,
		State: ownership.RecordIdle, Release: &how, Owner: &who,
	}
	return encoded(t, r, nil)
}

func (s *suite) publishOnce(t *testing.T, store lease.Store, g ownership.Generation, previous ownership.Revision, b []byte) error {
	h, err := store.Hold(t.Context(), s.d, g)
	if err != nil {
		return err
	}
	return errors.Join(store.Publish(t.Context(), h, previous, b), h.Drop())
}
