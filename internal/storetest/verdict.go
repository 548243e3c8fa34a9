package storetest

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/lease"
	"holdfast/ownership"
)

// verdicts returns a handle that keeps verdicts; it skips where the store has no place
// for them.
func (s *suite) verdicts(t *testing.T) lease.Verdicts {
	t.Helper()
	store := s.Open()
	keeper, ok := store.(lease.Verdicts)
	if !ok {
		t.Skip("this store keeps no verdicts")
	}
	return keeper
}

// requireVerdict looks through a handle of its own. "" is none.
func (s *suite) requireVerdict(t *testing.T, want string) {
	t.Helper()
	times := told(s.Times)
	got, err := s.verdicts(t).Verdict(t.Context(), s.d)
	require.NoError(t, err)
	require.Equal(t, times, told(s.Times), "reading writes nothing (I8)")
	if want == "" {
		require.True(t, got.Vacant())
		return
	}
	require.Equal(t, want, string(got.Bytes))
	require.Equal(t, ownership.RevisionOf(got.Bytes), got.Revision)
	require.NoError(t, got.Fault)
}

func testVerdict(t *testing.T, s *suite) {
	keeper := s.verdicts(t)
	s.requireVerdict(t, "")
	o := s.acquire(t, thisProcess())
	s.requireVerdict(t, "")
	record := s.load(t)
	for _, text := range []string{"one", "two\x00\xff\n"} {
		require.NoError(t, keeper.SetVerdict(t.Context(), s.d, record.Revision, []byte(text)))
		s.requireVerdict(t, text)
	}
	require.Equal(t, record, s.load(t), "a verdict changes no record")

	o.release(t)
	s.requireVerdict(t, "two\x00\xff\n") // it outlives its execution: whoever settles is late
	record = s.load(t)
	require.NoError(t, keeper.SetVerdict(t.Context(), s.d, record.Revision, []byte("three")))
	require.NoError(t, keeper.ClearVerdict(t.Context(), s.d, ownership.RevisionOf([]byte("three"))))
	s.requireVerdict(t, "")
	require.Equal(t, record, s.load(t))
	s.acquire(t, thisProcess())
}

// A late writer never covers the verdict on a later generation, and nobody removes what
// they did not look at.
func testVerdictConflict(t *testing.T, s *suite) {
	keeper := s.verdicts(t)
	refused := func(record ownership.Revision) {
		t.Helper()
		s.requireUnchanged(t, func() {
			err := keeper.SetVerdict(t.Context(), s.d, record, []byte("late"))
			require.ErrorIs(t, err, lease.ErrConflict)
			require.NotErrorIs(t, err, lease.ErrOutcomeUnknown)
		})
	}
	for _, nobodys := range []ownership.Revision{{}, {1}} {
		refused(nobodys)
	}
	o := s.acquire(t, thisProcess())
	first := s.load(t).Revision
	require.NoError(t, keeper.SetVerdict(t.Context(), s.d, first, []byte("first")))
	o.release(t)
	for _, stale := range []ownership.Revision{{}, {1}, first} {
		refused(stale)
	}
	for _, unseen := range []ownership.Revision{{}, {1}, s.load(t).Revision, ownership.RevisionOf([]byte("late"))} {
		s.requireUnchanged(t, func() {
			require.ErrorIs(t, keeper.ClearVerdict(t.Context(), s.d, unseen), lease.ErrConflict)
		})
	}
	s.requireVerdict(t, "first")
	require.NoError(t, keeper.ClearVerdict(t.Context(), s.d, ownership.RevisionOf([]byte("first"))))
	s.requireUnchanged(t, func() {
		require.ErrorIs(t, keeper.ClearVerdict(t.Context(), s.d, ownership.RevisionOf([]byte("first"))), lease.ErrConflict)
	})
}

func testVerdictBounds(t *testing.T, s *suite) {
	keeper := s.verdicts(t)
	s.acquire(t, thisProcess())
	record := s.load(t).Revision
	full := bytes.Repeat([]byte("v"), lease.MaxVerdictSize)
	require.NoError(t, keeper.SetVerdict(t.Context(), s.d, record, full))
	s.requireVerdict(t, string(full))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	s.requireUnchanged(t, func() {
		var field *ownership.FieldError
		require.ErrorAs(t, keeper.SetVerdict(t.Context(), s.d, record, append(full, 'v')), &field)
		require.Error(t, keeper.SetVerdict(ended, s.d, record, []byte("x")))
		require.Error(t, keeper.ClearVerdict(ended, s.d, ownership.RevisionOf(full)))
		_, err := keeper.Verdict(ended, s.d)
		require.Error(t, err)
	})
}

// Each of many writers is told that it was done, and one of their verdicts is there, whole.
func testManyVerdicts(t *testing.T, s *suite) {
	s.verdicts(t)
	s.acquire(t, thisProcess())
	record := s.load(t).Revision
	var all sync.WaitGroup
	texts, errs := make([]string, 8), make([]error, 8)
	for n := range texts {
		texts[n] = fmt.Sprintf("%d%s", n, bytes.Repeat([]byte{byte('a' + n)}, 32<<10))
		keeper := s.verdicts(t)
		all.Go(func() { errs[n] = keeper.SetVerdict(t.Context(), s.d, record, []byte(texts[n])) })
	}
	all.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	got, err := s.verdicts(t).Verdict(t.Context(), s.d)
	require.NoError(t, err)
	require.Contains(t, texts, string(got.Bytes))
}
