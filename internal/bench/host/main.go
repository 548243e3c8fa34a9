// Host is a program that owns sessions through the library, as small as one can be. The
// benchmarks start it where what they measure takes other processes.
//
//	host hold STORE KEY      owns until its standard input ends; tells "held"
//	host contend STORE KEY   tries once; tells "won" and owns until its standard input
//	                         ends, or tells "refused", the reason and the holder's pid
//	host once STORE KEY      acquires and releases
//	host cycle STORE KEY     for each number read, acquires and releases that many times,
//	                         and prints how many nanoseconds that took
//	host ask STORE KEY       the same, but is refused each time
//
// At its end it tells what it allocated.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"holdfast/internal/bench/allocated"
	"holdfast/lease"
	"holdfast/lease/dirstore"
	"holdfast/ownership"
)

func main() {
	if len(os.Args) != 4 {
		fail(errors.New("host hold|contend|once|cycle|ask STORE KEY"))
	}
	s, err := dirstore.Open(os.Args[2], dirstore.Options{})
	if err != nil {
		fail(err)
	}
	key, err := ownership.ParseKey(os.Args[3])
	if err != nil {
		fail(err)
	}
	if err := (host{s, key}).do(os.Args[1]); err != nil {
		fail(err)
	}
	if err := allocated.Tell(); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

type host struct {
	store lease.Store
	key   ownership.Key
}

func (h host) do(what string) error {
	switch what {
	case "hold":
		return h.hold("held")
	case "contend":
		return h.contend()
	case "once":
		return h.once()
	case "cycle":
		return repeat(h.once)
	case "ask":
		return repeat(h.ask)
	}
	return fmt.Errorf("there is no %q", what)
}

// hold owns until nobody writes to standard input any more.
func (h host) hold(word string) error {
	l, err := lease.Acquire(context.Background(), h.store, h.key, lease.Owner{})
	if err != nil {
		return err
	}
	fmt.Println(word)
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	return l.Release(context.Background())
}

func (h host) contend() error {
	err := h.hold("won")
	var refusal *lease.Refusal
	if !errors.As(err, &refusal) {
		return err
	}
	holder := 0
	if r := refusal.Inspection.Record; r != nil && r.Owner != nil {
		holder = r.Owner.PID
	}
	fmt.Println("refused", refusal.Reason, holder)
	return nil
}

func (h host) once() error {
	l, err := lease.Acquire(context.Background(), h.store, h.key, lease.Owner{})
	if err != nil {
		return err
	}
	return l.Release(context.Background())
}

func (h host) ask() error {
	_, err := lease.Acquire(context.Background(), h.store, h.key, lease.Owner{})
	var refusal *lease.Refusal
	if !errors.As(err, &refusal) {
		return fmt.Errorf("it was not refused: %w", err)
	}
	return nil
}

// repeat does something as often as standard input says, and prints how many nanoseconds
// that took.
func repeat(do func() error) error {
	for {
		var n int
		if _, err := fmt.Scan(&n); err != nil {
			return nil // whoever asks has gone
		}
		began := time.Now()
		for range n {
			if err := do(); err != nil {
				return err
			}
		}
		fmt.Println(time.Since(began).Nanoseconds())
	}
}
