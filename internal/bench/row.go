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
		return "≤ " + inTime(float64(g.within))
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
	etcdRow,
	bboltRow,
	sqliteRow,
	etcdCommandRow,
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
