package main

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// hostsRow is what many hosts at once get out of one disk.
var hostsRow = row{
	name: "hosts",
	work: "64 hosts acquiring 64 keys: throughput",
	peer: "one host's throughput",
	goal: goal{atLeast: 2.5},
	play: playHosts,
}

func playHosts(l *lab) (t turns, err error) {
	s, err := l.store()
	if err != nil {
		return t, err
	}
	crowd := make([]*worker, l.of(64, 8))
	for n := range crowd {
		if crowd[n], err = startWorker(l.program("host"), "cycle", s.Identity(), fmt.Sprint("host/", n)); err != nil {
			return t, err
		}
		defer func() { err = errors.Join(err, crowd[n].end()) }()
		if _, err := crowd[n].each(1); err != nil { // the store and the session are made once
			return t, err
		}
	}
	n := l.of(8, 2)
	all := func() (time.Duration, error) {
		return taken(n*len(crowd), func() error { return together(crowd, n) })
	}
	one := func() (time.Duration, error) { return crowd[0].each(4 * n) }
	if err := l.forget(); err != nil {
		return t, err
	}
	for l.goesOn(12, t) {
		if err := t.turn(all, one); err != nil {
			return t, err
		}
	}
	return t, nil
}

// together has each worker do n pieces at the same time.
func together(crowd []*worker, n int) error {
	var all sync.WaitGroup
	faults := make(chan error, len(crowd))
	for _, w := range crowd {
		all.Go(func() {
			if _, err := w.each(n); err != nil {
				faults <- err
			}
		})
	}
	all.Wait()
	close(faults)
	return errors.Join(<-faults)
}
