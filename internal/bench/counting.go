package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"holdfast/internal/bench/allocated"
)

// countStarts counts what two commands ask for from their start to their end. The first
// one is ours, and tells what it allocated.
func (l *lab) countStarts(ours, peer command) (*counts, error) {
	var c counts
	var err error
	if c.Allocated, err = l.allocatedBy(ours); err != nil {
		return nil, err
	}
	return c.with(func() (calls, error) { return l.traced(ours) }, func() (calls, error) { return l.traced(peer) })
}

// with adds the system calls of both sides; nobody is the peer of a goal in time. That
// they cannot be counted here fails nothing.
func (c counts) with(ours, peer func() (calls, error)) (*counts, error) {
	var err error
	if c.Ours, err = ours(); err == nil && peer != nil {
		c.Peer, err = peer()
	}
	var missing missingError
	if errors.As(err, &missing) {
		fmt.Fprintf(os.Stderr, "SYSTEM CALLS NOT COUNTED: %s\n", missing)
		c.Missing, err = missing.Error(), nil
	}
	return &c, err
}

// allocatedBy is how many objects a command of ours allocates.
func (l *lab) allocatedBy(c command) (int, error) {
	if c.argv[0] == l.program("session") {
		c.argv = append([]string{l.program("counted")}, c.argv[1:]...)
	}
	told := filepath.Join(l.base, "allocated")
	c.env = append(c.env, allocated.Variable+"="+told)
	if err := c.through(c.argv); err != nil {
		return 0, err
	}
	b, err := os.ReadFile(told)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(string(b))
}

// countEach counts what each session more adds to a command of ours, which is made anew
// beside so many each time.
func (l *lab) countEach(few, many int, ours func(n int) (command, error), peer func() (calls, error)) (*counts, error) {
	var c counts
	var err error
	c.Allocated, err = each(few, many, func(n int) (int, error) {
		made, err := ours(n)
		if err != nil {
			return 0, err
		}
		return l.allocatedBy(made)
	})
	if err != nil {
		return nil, err
	}
	return c.with(l.tracedEach(few, many, ours), peer)
}

// tracedEach is countEach of the system calls alone.
func (l *lab) tracedEach(few, many int, of func(n int) (command, error)) func() (calls, error) {
	return func() (calls, error) {
		return callsEach(few, many, func(n int) (calls, error) {
			made, err := of(n)
			if err != nil {
				return calls{}, err
			}
			return l.traced(made)
		})
	}
}

// countWork counts what a piece of the row's work asks for, which is so many pieces of a
// worker that can be started.
func (l *lab) countWork(pieces int, argv ...string) func() (calls, error) {
	return func() (calls, error) {
		return callsEach(10, 60, func(n int) (calls, error) {
			return l.traced(command{argv: argv, input: fmt.Sprintln(n * pieces)})
		})
	}
}
