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
		if b, err = readBook(bookDir()); err != nil {
			return 0, err
		}
	}
	for _, r := range rows {
		if !slices.Contains(o.only, r.name) {
			continue
		}
		done := l.played(r)
		if done.failed() {
			failed++
		}
		b.enter(done)
		if o.write { // after each row: a run that is ended keeps what it has
			err = b.write()
		}
		if err = errors.Join(err, l.tidy()); err != nil {
			return failed, err
		}
	}
	fmt.Print(b.figures())
	return failed, nil
}

// How long a row takes turns at most. What it prepares comes to that.
const (
	rowTime   = 2 * time.Minute
	quickTime = 2 * time.Second
)

// played plays one row and tells how it went.
func (l *lab) played(r row) result {
	began := time.Now()
	fmt.Fprintf(os.Stderr, "%-10s ", r.name)
	l.startClock()
	t, err := r.play(l)
	done := r.conclude(l.from, t, err)
	took := time.Since(began).Round(100 * time.Millisecond)
	switch {
	case done.Missing != "":
		fmt.Fprintf(os.Stderr, "NOT MEASURED: %s\n", done.Missing)
	case done.Failure != "":
		fmt.Fprintf(os.Stderr, "FAILED after %v: %s\n", took, done.Failure)
	default:
		fmt.Fprintf(os.Stderr, "%s, in %v\n", done.figure(r), took)
	}
	return done
}

// startClock gives the row that is played its whole time, from now on.
func (l *lab) startClock() {
	l.ends = time.Now().Add(rowTime)
	if l.quick {
		l.ends = time.Now().Add(quickTime)
	}
}
