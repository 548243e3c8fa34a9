package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"holdfast/internal/bench/allocated"
)

// count counts what a piece asks for on each side, of which ours tells what it allocates.
// A peer that is no process of its own has no load.
func (l *lab) count(ours load, peer *load) (*counts, error) {
	var c counts
	all, err := ours.each(l.allocatedBy)
	if err != nil {
		return nil, err
	}
	c.Allocated = whole(all[0])
	if c.Ours, err = l.toll(ours); err == nil && peer != nil {
		c.Peer, err = l.toll(*peer)
	}
	var missing missingError
	if errors.As(err, &missing) { // fails nothing
		fmt.Fprintf(os.Stderr, "SYSTEM CALLS NOT COUNTED: %s\n", missing)
		c.Missing, err = missing.Error(), nil
	}
	return &c, err
}

// countStarts counts two commands from their start to their end.
func (l *lab) countStarts(ours, peer command) (*counts, error) {
	w := startOf(peer)
	return l.count(startOf(ours), &w)
}

func (l *lab) toll(w load) (t toll, err error) {
	if t.Processor, err = l.processor(w); err != nil {
		return t, err
	}
	counted, err := w.each(l.traced)
	if err == nil {
		t.Calls, t.Syncs = whole(counted[0]), whole(counted[1])
	}
	return t, err
}

// processor is the median of the processor time that a piece takes.
func (l *lab) processor(w load) (float64, error) {
	var all []float64
	for range l.of(9, 1) {
		one, err := w.each(command.spent)
		if err != nil {
			return 0, err
		}
		all = append(all, one[0])
	}
	return max(0, spreadOf(all).Median), nil // of little work, less than nothing can come out
}

// allocatedBy is how many objects a command of ours allocates.
func (l *lab) allocatedBy(c command) ([]float64, error) {
	if c.argv[0] == l.program("session") {
		c.argv = append([]string{l.program("counted")}, c.argv[1:]...)
	}
	told := filepath.Join(l.base, "allocated")
	c.env = append(c.env, allocated.Variable+"="+told)
	if _, err := c.spent(); err != nil {
		return nil, err
	}
	b, err := os.ReadFile(told)
	if err != nil {
		return nil, err
	}
	n, err := strconv.ParseFloat(string(b), 64)
	return []float64{n}, err
}
