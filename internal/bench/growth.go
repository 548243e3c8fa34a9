package main

import (
	"errors"
	"fmt"
	"time"

	"holdfast/lease"
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

// growthTime is how long a store may take to grow.
const growthTime = 4 * time.Minute

func playGrowth(l *lab) (t turns, err error) {
	small, err := l.furnish()
	if err != nil {
		return t, err
	}
	large, err := l.furnish()
	if err != nil {
		return t, err
	}
	if err := small.grow(10, ownership.RecordIdle); err != nil {
		return t, err
	}
	sizes := []int{10, 100, 1000, 10_000, 100_000, 1_000_000}
	if l.quick {
		sizes = sizes[:3]
	}
	var grew time.Duration // by the latest step, of which the next is ten times the size
	ends := time.Now().Add(growthTime)
	for _, n := range sizes {
		began := time.Now()
		if len(t.curve) > 0 && began.Add(10*grew).After(ends) {
			t.notes = append(t.notes, fmt.Sprintf("more than %d sessions could not be made within %v", large.n, growthTime))
			break
		}
		if err := large.grow(n, ownership.RecordIdle); err != nil {
			return t, err
		}
		grew = time.Since(began)
		l.ends = time.Now().Add(rowTime / 4)
		if t, err = l.beside(t.curve, small, large); err != nil {
			return t, fmt.Errorf("with %d sessions: %w", n, err)
		}
		t.curve = append(t.curve, point{n, spreadOf(t.ours).Median})
	}
	return t, nil
}

// beside lets a session of each store take turns; what came before but the curve is
// forgotten.
func (l *lab) beside(curve []point, small, large *furnished) (t turns, err error) {
	t.curve = curve
	key, n := keyOf("one more"), l.of(10, 2)
	in := func(s lease.Store) side {
		return func() (time.Duration, error) { return taken(n, func() error { return cycles(s, key, n) }) }
	}
	_, err = in(small)()
	if _, again := in(large)(); errors.Join(err, again) != nil {
		return t, errors.Join(err, again)
	}
	for l.goesOn(20, t) {
		if err := t.turn(in(large), in(small)); err != nil {
			return t, err
		}
	}
	return t, nil
}
