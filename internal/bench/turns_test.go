package main

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// named is a side that notes that it played, and always takes the same.
func named(order *string, name string, took time.Duration) side {
	return func() (time.Duration, error) {
		*order += name
		return took, nil
	}
}

func TestEachSideIsFirstInItsTurn(t *testing.T) {
	var order string
	var all turns
	for range 4 {
		require.NoError(t, all.turn(named(&order, "o", 10), named(&order, "p", 20)))
	}
	require.Equal(t, "oppo"+"oppo", order)
	require.Equal(t, []float64{10, 10, 10, 10}, all.ours)
	require.Equal(t, []float64{20, 20, 20, 20}, all.peer)
}

func TestATurnThatFailsIsNoTurn(t *testing.T) {
	broken := errors.New("broken")
	var order string
	var all turns
	err := all.turn(named(&order, "o", 10), func() (time.Duration, error) { return 0, broken })
	require.ErrorIs(t, err, broken)
	require.Empty(t, all.ours)
	require.Empty(t, all.peer)
}

func TestRatiosAreThoseOfEachTurn(t *testing.T) {
	all := turns{ours: []float64{10, 40}, peer: []float64{20, 20}}
	require.Equal(t, []float64{0.5, 2}, all.ratios(false))
	require.Equal(t, []float64{2, 0.5}, all.ratios(true), "of what gets done in a time")
	require.Empty(t, turns{ours: []float64{10}}.ratios(false), "nobody to compare with")
}

func TestACurveIsMeasuredForAllNumbersInEachRound(t *testing.T) {
	var order string
	c := curveOf(1, 10)
	for range 3 {
		require.NoError(t, c.round(func(of int) (ours, peer side) {
			return named(&order, "o", time.Duration(of)), named(&order, "p", time.Duration(2*of))
		}))
	}
	require.Equal(t, 3, c.rounds())
	require.Len(t, order, 3*4)
	require.Equal(t, []point{
		{1, spread{1, 1, 1}, spread{2, 2, 2}},
		{10, spread{10, 10, 10}, spread{20, 20, 20}},
	}, c.points())
}
