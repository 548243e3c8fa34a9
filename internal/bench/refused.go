package main

import (
	"errors"
	"fmt"
	"time"

	"holdfast/lease"
	"holdfast/ownership"
)

// refusedRow is what asking for somebody else's session costs.
var refusedRow = row{
	name: "refused",
	work: "refused acquire in process, held session; no write, no fsync",
	goal: goal{within: 25 * time.Microsecond},
	play: playRefused,
}

func playRefused(l *lab) (t turns, err error) {
	s, err := l.store()
	if err != nil {
		return t, err
	}
	holder, err := startWorker(l.program("host"), "hold", s.Identity(), "held")
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, holder.end()) }()
	if _, err := holder.line(); err != nil {
		return t, err
	}
	key, n := keyOf("held"), l.of(2000, 50)
	for l.goesOn(40, t) {
		each, err := taken(n, func() error { return refusals(s, key, n, holder.cmd.Process.Pid) })
		if err != nil {
			return t, err
		}
		t.ours = append(t.ours, float64(each))
	}
	t.counts, err = l.count(workOf(1, l.program("host"), "ask", s.Identity(), key.String()), nil)
	return t, err
}

// refusals wants each attempt to be refused with the holder's name.
func refusals(s lease.Store, key ownership.Key, n, holder int) error {
	for range n {
		_, err := lease.Acquire(background, s, key, lease.Owner{})
		var refusal *lease.Refusal
		if !errors.As(err, &refusal) || refusal.Reason != ownership.ReasonActiveOwner {
			return fmt.Errorf("a session that is held was not refused for that: %w", err)
		}
		if pid := refusal.Inspection.Record.Owner.PID; pid != holder {
			return fmt.Errorf("the refusal names pid %d and not %d", pid, holder)
		}
	}
	return nil
}
