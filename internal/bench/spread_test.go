package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSpread(t *testing.T) {
	for _, c := range []struct {
		of   []float64
		want spread
	}{
		{nil, spread{}},
		{[]float64{7}, spread{7, 7, 7}},
		{[]float64{4, 2}, spread{2.5, 3, 3.5}},
		{[]float64{5, 1, 4, 2, 3}, spread{2, 3, 4}},
		{[]float64{1, 1, 1, 1000}, spread{1, 1, 250.75}}, // one that was held up moves no median
	} {
		require.Equal(t, c.want, spreadOf(c.of), "%v", c.of)
	}
}

func TestSpreadLeavesTheOrderAlone(t *testing.T) {
	all := []float64{3, 1, 2}
	spreadOf(all)
	require.Equal(t, []float64{3, 1, 2}, all)
}
