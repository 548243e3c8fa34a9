package main

import (
	"slices"
	"time"
)

// turns is what a row measured: nanoseconds a piece, the n-th of both sides in one turn.
type turns struct {
	ours, peer []float64
	notes      []string
	curve      []point
}

// side does one turn of one side and says what a piece of it took.
type side func() (time.Duration, error)

// turn lets both sides play once, the one or the other first: a load that comes and goes
// meets both.
func (t *turns) turn(ours, peer side) error {
	first, second, swapped := ours, peer, len(t.ours)%2 == 1
	if swapped {
		first, second = peer, ours
	}
	a, err := first()
	if err != nil {
		return err
	}
	b, err := second()
	if err != nil {
		return err
	}
	if swapped {
		a, b = b, a
	}
	t.ours = append(t.ours, float64(a))
	t.peer = append(t.peer, float64(b))
	return nil
}

// ratios are those of each turn, of the costs or, inverted, of what gets done in a time;
// none without a peer.
func (t turns) ratios(inverted bool) []float64 {
	all := make([]float64, 0, len(t.peer))
	for n, peer := range t.peer {
		ratio := t.ours[n] / peer
		if inverted {
			ratio = 1 / ratio
		}
		all = append(all, ratio)
	}
	return all
}

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

// taken times what is done many times at once, a piece.
func taken(n int, do func() error) (time.Duration, error) {
	began := time.Now()
	err := do()
	return time.Since(began) / time.Duration(n), err
}
