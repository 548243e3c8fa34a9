package main

import (
	"fmt"
	"math"
)

// load is work to be counted: commands that do fewer pieces and more of them. What the
// latter takes beyond the former is the pieces'; what comes once, the start of a process
// above all, is left out.
type load struct {
	few, many int
	command   func(n int) (command, error) // made anew each time
}

// startOf is the load of a command that is one piece, from its start to its end.
func startOf(c command) load {
	return load{0, 1, func(int) (command, error) { return c, nil }}
}

// workOf is the load of a worker, so many of whose pieces are one.
func workOf(pieces int, argv ...string) load {
	return load{10, 60, func(n int) (command, error) { return command{argv: argv, input: fmt.Sprintln(n * pieces)}, nil }}
}

// measure is what a command took, in one or more respects.
type measure func(command) ([]float64, error)

// each is what one piece takes.
func (w load) each(m measure) ([]float64, error) {
	less, err := w.at(w.few, m)
	if err != nil {
		return nil, err
	}
	more, err := w.at(w.many, m)
	for n := range more {
		if less != nil {
			more[n] -= less[n]
		}
		more[n] /= float64(w.many - w.few)
	}
	return more, err
}

func (w load) at(n int, m measure) ([]float64, error) {
	if n == 0 {
		return nil, nil
	}
	c, err := w.command(n)
	if err != nil {
		return nil, err
	}
	return m(c)
}

func whole(n float64) int { return int(math.Round(n)) }
