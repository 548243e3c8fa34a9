package main

// point is one of a curve: what a piece costs among so many, in nanoseconds, and what it
// costs the peer.
type point struct {
	Of   int    `json:"of"`
	Ours spread `json:"ours"`
	Peer spread `json:"peer"`
}

// curve is what a piece costs by the number of something, measured for all of the numbers
// in each round.
type curve struct {
	of         []int
	ours, peer [][]float64 // of each number, in the order of the rounds
}

func curveOf(numbers ...int) *curve {
	return &curve{of: numbers, ours: make([][]float64, len(numbers)), peer: make([][]float64, len(numbers))}
}

func (c *curve) rounds() int { return len(c.ours[0]) }

// round measures both sides at each number, beginning with another one each time.
func (c *curve) round(at func(of int) (ours, peer side)) error {
	var sides []side
	for _, of := range c.of {
		ours, peer := at(of)
		sides = append(sides, ours, peer)
	}
	costs, err := around(c.rounds(), sides...)
	if err != nil {
		return err
	}
	for n := range c.of {
		c.ours[n] = append(c.ours[n], costs[2*n])
		c.peer[n] = append(c.peer[n], costs[2*n+1])
	}
	return nil
}

func (c *curve) points() (all []point) {
	for n, of := range c.of {
		all = append(all, point{of, spreadOf(c.ours[n]), spreadOf(c.peer[n])})
	}
	return all
}
