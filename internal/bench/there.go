package main

import (
	"fmt"

	"holdfast/lease"
	"holdfast/ownership"
)

// samples is how many of the sessions that were furnished are looked at one by one.
const samples = 1000

// allThere wants every session of each store listed, and samples of them as they were
// made.
func allThere(stores map[int]*furnished) error {
	for _, f := range stores {
		listed := 0
		for _, err := range f.List(background) {
			if err != nil {
				return err
			}
			listed++
		}
		if want := f.n + f.others; listed != want {
			return fmt.Errorf("a store lists %d sessions of %d", listed, want)
		}
		if err := f.sampled(); err != nil {
			return err
		}
	}
	return nil
}

func (f *furnished) sampled() error {
	for i := 0; i < f.n; i += max(1, f.n/samples) {
		key := f.key(i)
		seen, err := lease.Inspect(background, f, key.Digest())
		if err != nil {
			return err
		}
		if seen.State != ownership.StateIdle || seen.Record.Key == nil || *seen.Record.Key != key.String() {
			return fmt.Errorf("session %q is %s", key, seen.State)
		}
	}
	return nil
}
