package main

import (
	"fmt"
	"time"
)

// row is one kind of work that has a goal.
type row struct {
	name string // what -only takes
	work string
	peer string // what it is compared with, or "" for a goal in time
	goal goal
	play func(*lab) (turns, error)
}

// goal bounds the ratio to the peer, or without one the time itself.
type goal struct {
	atMost  float64
	atLeast float64
	within  time.Duration
}

func (g goal) String() string {
	switch {
	case g.within > 0:
		return fmt.Sprintf("≤ %v", g.within)
	case g.atLeast > 0:
		return fmt.Sprintf("≥ %.3g ×", g.atLeast)
	}
	return fmt.Sprintf("≤ %.3g ×", g.atMost)
}

// reached judges the median.
func (g goal) reached(ratio, ours spread) bool {
	switch {
	case g.within > 0:
		return ours.Median <= float64(g.within)
	case g.atLeast > 0:
		return ratio.Median >= g.atLeast
	}
	return ratio.Median <= g.atMost
}

// rows is the table, in its order.
var rows = []row{
	cycleRow,
	bboltRow,
	sqliteRow,
	refusedRow,
	contendRow,
	runRow,
	runMemoryRow,
	versionRow,
	inspectRow,
	listRow,
	recoverRow,
	reconcileRow,
	hostsRow,
	historyRow,
	growthRow,
}

func names() (all []string) {
	for _, r := range rows {
		all = append(all, r.name)
	}
	return all
}

// result is what a row came to.
type result struct {
	Row     string   `json:"row"`
	Ours    spread   `json:"ours"`  // nanoseconds a piece
	Peer    spread   `json:"peer"`  // zero without one
	Ratio   spread   `json:"ratio"` // ours to the peer's, of each turn
	Reached bool     `json:"reached"`
	Notes   []string `json:"notes,omitempty"`
	Curve   []point  `json:"curve,omitempty"`
	Failure string   `json:"failure,omitempty"`
}

// point is one of a curve: what each of so many costs, in nanoseconds.
type point struct {
	Of   int     `json:"of"`
	Cost float64 `json:"cost"`
}

// conclude makes a result of what a row measured.
func (r row) conclude(t turns, err error) result {
	done := result{Row: r.name, Notes: t.notes, Curve: t.curve}
	if err == nil && len(t.ours) == 0 {
		err = fmt.Errorf("nothing was measured")
	}
	if err != nil {
		done.Failure = err.Error()
		return done
	}
	done.Ours, done.Peer, done.Ratio = spreadOf(t.ours), spreadOf(t.peer), spreadOf(t.ratios(r.goal.atLeast > 0))
	done.Reached = r.goal.reached(done.Ratio, done.Ours)
	return done
}
