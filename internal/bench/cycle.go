package main

import (
	"errors"
	"fmt"
	"time"

	"holdfast/lease"
	"holdfast/ownership"
)

// cycleRow is what a host pays for owning a session once.
var cycleRow = row{
	name: "cycle",
	work: "acquire + release in process",
	peer: "two bare publishes",
	goal: goal{atMost: 1.25},
	play: playCycle,
}

func playCycle(l *lab) (t turns, err error) {
	bare, err := l.publisher()
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, bare.end()) }()
	t, err = l.cyclesBeside(bare.times(2))
	t.notes = append(t.notes, "the bare publish is written in "+bare.in)
	return t, err
}

// peer is somebody else who does n pieces of a row's work, and can be counted as well.
type peer struct {
	each func(n int) (time.Duration, error)
	load *load // nil: it is no process of its own
}

// cyclesBeside lets acquire and release take turns with what a peer does instead, each in
// a process that does nothing else.
func (l *lab) cyclesBeside(p peer) (t turns, err error) {
	s, err := l.store()
	if err != nil {
		return t, err
	}
	host, err := startWorker(l.program("host"), "cycle", s.Identity(), "cycle")
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, host.end()) }()
	n := l.of(10, 3) // few: each leaves a file removed, which the next ones look past (remembered)
	ours := func() (time.Duration, error) { return host.each(n) }
	if _, err := ours(); err != nil { // the store is made once
		return t, err
	}
	if err := l.forget(); err != nil {
		return t, err
	}
	for l.goesOn(40, t) {
		if err := t.turn(ours, func() (time.Duration, error) { return p.each(n) }); err != nil {
			return t, err
		}
	}
	if err := wasOwned(s, keyOf("cycle"), n*(1+len(t.ours))); err != nil {
		return t, err
	}
	t.counts, err = l.count(workOf(1, l.program("host"), "cycle", s.Identity(), "counted"), p.load)
	return t, err
}

func cycles(s lease.Store, key ownership.Key, n int) error {
	for range n {
		l, err := lease.Acquire(background, s, key, lease.Owner{})
		if err != nil {
			return err
		}
		if err := l.Release(background); err != nil {
			return err
		}
	}
	return nil
}

// wasOwned checks that every acquire and release of a session left its record.
func wasOwned(s lease.Store, key ownership.Key, times int) error {
	i, err := lease.Inspect(background, s, key.Digest())
	if err != nil {
		return err
	}
	if i.State != ownership.StateIdle || i.Record.Generation != ownership.Generation(times) {
		return fmt.Errorf("after %d cycles it is %s at generation %d", times, i.State, i.Record.Generation)
	}
	past := 0
	for _, err := range s.Past(background, key.Digest()) {
		if err != nil {
			return err
		}
		past++
	}
	if want := 2*times - 1; past != want {
		return fmt.Errorf("history has %d earlier records and not %d", past, want)
	}
	return nil
}
