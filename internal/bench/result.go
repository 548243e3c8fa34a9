package main

import (
	"errors"
	"fmt"
	"os"

	"holdfast/internal/testkit"
)

// result is what a row came to in one run.
type result struct {
	Row string `json:"row"`
	origin
	Turns   int      `json:"turns"` // of each side
	Ours    spread   `json:"ours"`  // nanoseconds a piece
	Peer    spread   `json:"peer"`  // zero without one
	Ratio   spread   `json:"ratio"` // ours to the peer's, of each turn
	Reached bool     `json:"reached"`
	Counts  *counts  `json:"counts,omitempty"`
	Notes   []string `json:"notes,omitempty"`
	Curve   []point  `json:"curve,omitempty"`
	Missing string   `json:"missing,omitempty"` // why it was not measured here
	Failure string   `json:"failure,omitempty"` // a wrong answer, or none
}

// conclude makes a result of what a row measured.
func (r row) conclude(from origin, t turns, err error) result {
	done := result{Row: r.name, origin: from, Turns: len(t.ours), Counts: t.counts, Notes: t.notes, Curve: t.curve}
	if err == nil && len(t.ours) == 0 {
		err = errors.New("nothing was measured")
	}
	var missing missingError
	switch {
	case errors.As(err, &missing):
		done.Missing = missing.Error()
		return done
	case err != nil:
		done.Failure = err.Error()
		return done
	}
	done.Ours, done.Peer, done.Ratio = spreadOf(t.ours), spreadOf(t.peer), spreadOf(t.ratios(r.goal.atLeast > 0))
	done.Reached = r.goal.reached(done.Ratio, done.Ours)
	return done
}

// measured reports whether there are figures.
func (done result) measured() bool { return done.Missing == "" && done.Failure == "" }

// failed reports whether something is wrong, of which something missing is a case only
// where nothing may be.
func (done result) failed() bool {
	missing := done.Missing != "" || done.Counts != nil && done.Counts.Missing != ""
	return done.Failure != "" || missing && os.Getenv(testkit.RequireVariable) == "1"
}

// figure is the result in one line, for who watches.
func (done result) figure(r row) string {
	verdict := fmt.Sprintf("goal %s: %s", r.goal, inWord(done.Reached))
	if r.peer == "" {
		return inTimes(done.Ours) + ", " + verdict
	}
	return fmt.Sprintf("%s, %s; %s to %s", inRatio(done.Ratio), verdict, inTime(done.Ours.Median), inTime(done.Peer.Median))
}
