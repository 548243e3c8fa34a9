package main

import (
	"fmt"
	"strings"
	"time"
)

// table is what README.md shows.
func (b *book) table() string {
	var t strings.Builder
	t.WriteString("| work | compared with | goal | Holdfast | peer | ratio (quartiles) | reached |\n")
	t.WriteString("|---|---|---|---|---|---|---|\n")
	var notes []string
	for _, r := range rows {
		done, ok := b.of(r.name)
		if !ok {
			continue
		}
		t.WriteString(done.line(r))
		for _, note := range done.Notes {
			notes = append(notes, r.name+": "+note)
		}
	}
	if len(notes) > 0 {
		fmt.Fprintf(&t, "\nMeasured on %s. %s.\n", b.Measured, strings.Join(notes, "; "))
	}
	return t.String()
}

func (done result) line(r row) string {
	peer := r.peer
	if peer == "" {
		peer = "–"
	}
	if done.Failure != "" {
		return fmt.Sprintf("| %s | %s | %s | not measured: %s ||||\n", r.work, peer, r.goal, done.Failure)
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %s |\n",
		r.work, peer, r.goal, inTime(done.Ours.Median), inTime(done.Peer.Median), inRatio(done.Ratio), inWord(done.Reached))
}

// figure is the result in one line, for who watches.
func (done result) figure(r row) string {
	if r.peer == "" {
		return fmt.Sprintf("%s (%s–%s), goal %s: %s", inTime(done.Ours.Median), inTime(done.Ours.Low), inTime(done.Ours.High), r.goal, inWord(done.Reached))
	}
	return fmt.Sprintf("%s, goal %s: %s; %s to %s", inRatio(done.Ratio), r.goal, inWord(done.Reached), inTime(done.Ours.Median), inTime(done.Peer.Median))
}

func inWord(reached bool) string {
	if reached {
		return "yes"
	}
	return "**no**"
}

// inTime shows three digits of some nanoseconds.
func inTime(ns float64) string {
	switch d := time.Duration(ns); {
	case d == 0:
		return "–"
	case d < time.Millisecond:
		return fmt.Sprintf("%.3g µs", ns/1e3)
	case d < time.Second:
		return fmt.Sprintf("%.3g ms", ns/1e6)
	default:
		return fmt.Sprintf("%.3g s", ns/1e9)
	}
}

func inRatio(s spread) string {
	if s.Median == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f (%.2f–%.2f)", s.Median, s.Low, s.High)
}
