package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"
)

// run plays the rows that were asked for, and returns how many of them failed.
func run(o options) (failed int, err error) {
	l, err := newLab(o)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	b := &book{}
	if o.write {
		if b, err = readBook(); err != nil {
			return 0, err
		}
	}
	for _, r := range rows {
		if !slices.Contains(o.only, r.name) {
			continue
		}
		done := l.played(r)
		if done.Failure != "" {
			failed++
		}
		b.enter(done)
		if o.write { // after each row: a run that is ended keeps what it has
			if err := b.write(); err != nil {
				return failed, err
			}
		}
	}
	fmt.Print(b.table())
	return failed, nil
}

// How long a row takes turns at most. What it prepares comes to that.
const (
	rowTime   = 45 * time.Second
	quickTime = 3 * time.Second
)

// played plays one row and tells how it went.
func (l *lab) played(r row) result {
	began := time.Now()
	fmt.Fprintf(os.Stderr, "%-12s ", r.name)
	l.ends = began.Add(rowTime)
	if l.quick {
		l.ends = began.Add(quickTime)
	}
	done := r.conclude(r.play(l))
	took := time.Since(began).Round(100 * time.Millisecond)
	if done.Failure != "" {
		fmt.Fprintf(os.Stderr, "FAILED after %v: %s\n", took, done.Failure)
	} else {
		fmt.Fprintf(os.Stderr, "%s in %v\n", done.figure(r), took)
	}
	return done
}
