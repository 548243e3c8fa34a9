package main

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/testkit"
)

func TestGoalIsJudgedByTheMedian(t *testing.T) {
	at := func(median float64) spread { return spread{0, median, 1e12} }
	for _, c := range []struct {
		goal         goal
		told         string
		ratio, ours  spread
		reached, not float64
	}{
		{goal: goal{atMost: 1.25}, told: "≤ 1.25 ×", reached: 1.25, not: 1.26},
		{goal: goal{atLeast: 2.5}, told: "≥ 2.5 ×", reached: 2.5, not: 2.49},
	} {
		require.Equal(t, c.told, c.goal.String())
		require.True(t, c.goal.reached(at(c.reached), spread{}))
		require.False(t, c.goal.reached(at(c.not), spread{}))
	}
	time := goal{within: 25 * time.Microsecond}
	require.Equal(t, "≤ 25 µs", time.String())
	require.True(t, time.reached(spread{}, at(25_000)))
	require.False(t, time.reached(spread{}, at(25_001)))
}

func TestConclude(t *testing.T) {
	r := row{name: "cycle", peer: "another", goal: goal{atMost: 1}}
	from := origin{"then", "there"}
	done := r.conclude(from, turns{ours: []float64{1, 2, 3}, peer: []float64{2, 2, 2}}, nil)
	require.True(t, done.measured())
	require.True(t, done.Reached)
	require.Equal(t, from, done.origin)
	require.Equal(t, 3, done.Turns)
	require.Equal(t, spread{0.75, 1, 1.25}, done.Ratio)
	require.Contains(t, done.figure(r), "1.00 (0.75–1.25), goal ≤ 1 ×: yes")
}

func TestWhatWasNotMeasuredReachesNoGoal(t *testing.T) {
	r := row{name: "cycle", goal: goal{atMost: 1}}
	measured := turns{ours: []float64{1}, peer: []float64{2}}
	for name, c := range map[string]struct {
		turns   turns
		err     error
		missing bool
	}{
		"a wrong answer":   {turns: measured, err: errors.New("wrong")},
		"nothing":          {},
		"a missing tool":   {err: fmt.Errorf("row: %w", missingError("no tool")), missing: true},
		"missing half-way": {turns: measured, err: missingError("no tool"), missing: true},
	} {
		done := r.conclude(origin{}, c.turns, c.err)
		require.False(t, done.measured(), name)
		require.False(t, done.Reached, name)
		require.Zero(t, done.Ours, name)
		require.Equal(t, c.missing, done.Missing != "", name)
		require.Equal(t, !c.missing, done.Failure != "", name)
	}
}

func TestWhatIsMissingFailsOnlyWhereNothingMayBe(t *testing.T) {
	t.Setenv(testkit.RequireVariable, "")
	left := result{Missing: "no etcd"}
	uncounted := result{Counts: &counts{Missing: "no strace"}}
	require.False(t, left.failed())
	require.False(t, uncounted.failed())
	require.True(t, result{Failure: "wrong"}.failed())
	t.Setenv(testkit.RequireVariable, "1")
	require.True(t, left.failed())
	require.True(t, uncounted.failed())
	require.False(t, result{Counts: &counts{}}.failed())
}
