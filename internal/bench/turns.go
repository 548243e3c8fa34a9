package main

import "time"

// turns is what a row measured: nanoseconds a piece, the n-th of both sides in one turn.
type turns struct {
	ours, peer []float64
	notes      []string
	curve      []point
	counts     *counts
}

// side does one turn of one side and says what a piece of it took.
type side func() (time.Duration, error)

// turn lets both sides play once, the one or the other first: a load that comes and goes
// meets both.
func (t *turns) turn(ours, peer side) error {
	cost, err := around(len(t.ours), ours, peer)
	if err != nil {
		return err
	}
	t.ours = append(t.ours, cost[0])
	t.peer = append(t.peer, cost[1])
	return nil
}

// around lets each side play once, each round beginning with another one, and returns
// what they took in the order of the sides.
func around(round int, sides ...side) ([]float64, error) {
	costs := make([]float64, len(sides))
	for n := range sides {
		at := (round + n) % len(sides)
		took, err := sides[at]()
		if err != nil {
			return nil, err
		}
		costs[at] = float64(took)
	}
	return costs, nil
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

// taken times what is done many times at once, a piece.
func taken(n int, do func() error) (time.Duration, error) {
	began := time.Now()
	err := do()
	return time.Since(began) / time.Duration(n), err
}
