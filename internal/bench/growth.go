package main

import (
	"errors"
	"fmt"
	"time"

	"holdfast/ownership"
)

// growthRow is whether a store gets slower as it fills.
var growthRow = row{
	name: "growth",
	work: "acquire + release beside 1,000,000 sessions",
	peer: "the same beside 10",
	goal: goal{atMost: 1.2},
	play: playGrowth,
}

// playGrowth keeps stores of all sizes at once, which take turns: the disk changes less
// from one to the next than from now to later.
func playGrowth(l *lab) (t turns, err error) {
	sizes := []int{10, 1000, 100_000, 1_000_000}
	if l.quick {
		sizes = sizes[:2]
	}
	stores, err := l.filled(sizes)
	if err != nil {
		return t, err
	}
	bare, err := l.publisher()
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, bare.end()) }()
	l.startClock()
	known, fresh, err := l.beside(stores, sizes, bare)
	if err != nil {
		return t, err
	}
	t.ours, t.peer = known.ours[len(sizes)-1], known.ours[0]
	t.curve = known.points()
	t.notes = append(t.notes, fresh.growth())
	return t, allThere(stores)
}

// filled makes stores of so many sessions each.
func (l *lab) filled(sizes []int) (stores map[int]*furnished, err error) {
	if err := l.room(sizes); err != nil {
		return nil, err
	}
	stores = map[int]*furnished{}
	for _, n := range sizes {
		f, err := l.furnish()
		if err != nil {
			return nil, err
		}
		if err := f.grow(n, ownership.RecordIdle); err != nil {
			return nil, err
		}
		stores[n] = f
	}
	return stores, l.settle()
}

// beside measures cycles of a session that is known, and of new ones, in stores of each
// size; both beside bare publishes.
func (l *lab) beside(stores map[int]*furnished, sizes []int, bare *publisher) (known, fresh *curve, err error) {
	known, fresh = curveOf(sizes...), curveOf(sizes...)
	n, made := l.of(10, 2), 0
	publishes := func() (time.Duration, error) { return bare.times(2).each(n) }
	again := func(size int) (side, side) {
		return func() (time.Duration, error) {
			return taken(n, func() error { return cycles(stores[size], keyOf("one more"), n) })
		}, publishes
	}
	first := func(size int) (side, side) {
		return func() (time.Duration, error) { return stores[size].firsts(n, &made) }, publishes
	}
	if err := curveOf(sizes...).round(again); err != nil { // the session is made once
		return nil, nil, err
	}
	for _, f := range stores {
		f.others++
	}
	for l.goesOn(60, turns{ours: known.ours[0]}) {
		if err := errors.Join(known.round(again), fresh.round(first)); err != nil {
			return nil, nil, err
		}
	}
	return known, fresh, nil
}

// firsts acquires and releases sessions that were never there.
func (f *furnished) firsts(n int, made *int) (time.Duration, error) {
	return taken(n, func() error {
		for range n {
			*made++
			if err := cycles(f, keyOf("new/%d", *made), 1); err != nil {
				return err
			}
			f.others++
		}
		return nil
	})
}

// growth says how the largest compares with the smallest.
func (c *curve) growth() string {
	last := len(c.of) - 1
	t := turns{ours: c.ours[last], peer: c.ours[0]}
	return fmt.Sprintf("the first acquisition of a session takes %s beside %s and %s beside %s, a ratio of %s",
		inTime(spreadOf(t.ours).Median), inThousands(c.of[last]), inTime(spreadOf(t.peer).Median), inThousands(c.of[0]), inRatio(spreadOf(t.ratios(false))))
}
