package main

import "slices"

// spread is where the middle half of some figures lies.
type spread struct {
	Low    float64 `json:"low"` // the first quartile
	Median float64 `json:"median"`
	High   float64 `json:"high"` // the third quartile
}

func spreadOf(all []float64) spread {
	if len(all) == 0 {
		return spread{}
	}
	sorted := slices.Sorted(slices.Values(all))
	at := func(part float64) float64 {
		place := part * float64(len(sorted)-1)
		below := int(place)
		above := min(below+1, len(sorted)-1)
		return sorted[below] + (place-float64(below))*(sorted[above]-sorted[below])
	}
	return spread{at(0.25), at(0.5), at(0.75)}
}
