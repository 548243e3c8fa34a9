package main

import (
	"fmt"
	"math"
	"runtime"
)

// counts is what a piece of work asks of the system.
type counts struct {
	Ours      calls  `json:"ours"`
	Peer      calls  `json:"peer"`
	Allocated int    `json:"allocated,omitempty"` // objects, by us
	Missing   string `json:"missing,omitempty"`   // why calls could not be counted here
}

// calls are system calls, and those among them that wait for the disk.
type calls struct {
	All   int `json:"all"`
	Syncs int `json:"syncs"`
}

func (c calls) String() string { return fmt.Sprintf("%s (%d)", inThousands(c.All), c.Syncs) }

// calls are those of both sides in a cell of the table.
func (c *counts) calls() string {
	switch {
	case c == nil:
		return "–"
	case c.Missing != "":
		return "not counted: " + c.Missing
	case c.Peer.All == 0:
		return c.Ours.String()
	}
	return c.Ours.String() + ", " + c.Peer.String()
}

func (c *counts) allocations() string {
	if c == nil || c.Allocated == 0 {
		return "–"
	}
	return inThousands(c.Allocated)
}

// each is what a piece adds: what some take of them, beyond what fewer take, by their
// difference. What comes once, the start of a process above all, is left out.
func each(few, many int, at func(n int) (int, error)) (int, error) {
	less, err := at(few)
	if err != nil {
		return 0, err
	}
	more, err := at(many)
	return part(more-less, many-few), err
}

// callsEach is each of the system calls.
func callsEach(few, many int, at func(n int) (calls, error)) (calls, error) {
	less, err := at(few)
	if err != nil {
		return calls{}, err
	}
	more, err := at(many)
	return calls{part(more.All-less.All, many-few), part(more.Syncs-less.Syncs, many-few)}, err
}

func part(all, n int) int { return int(math.Round(float64(all) / float64(n))) }

// allocatedEach is how many objects one of n pieces allocates in this process.
func allocatedEach(n int, do func() error) (int, error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := do()
	runtime.ReadMemStats(&after)
	return part(int(after.Mallocs-before.Mallocs), n), err
}
