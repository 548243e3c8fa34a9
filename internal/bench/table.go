package main

import (
	"fmt"
	"strings"
)

// page is what README.md shows: the tables, what is to be said of them, and the plots.
func (b *book) page() string { return b.figures() + b.pictures() }

// figures is what a run prints.
func (b *book) figures() string { return b.table() + b.tolls() + b.remarks() }

const heading = `| row | work | compared with | goal | Holdfast | peer | ratio (quartiles) | reached |
|---|---|---|---|---|---|---|---|
`

func (b *book) table() string {
	var t strings.Builder
	t.WriteString(heading)
	for _, r := range rows {
		if done, ok := b.of(r.name); ok {
			t.WriteString(done.line(r))
		}
	}
	return t.String()
}

func (done result) line(r row) string {
	cells := []string{r.name, r.work, orDash(r.peer), r.goal.String(), inTime(done.Ours.Median), inTime(done.Peer.Median),
		inRatio(done.Ratio), inWord(done.Reached)}
	switch {
	case !done.measured():
		cells[4], cells[7] = "not measured: "+done.Missing+done.Failure, "–"
	case r.peer == "":
		cells[4] = inTimes(done.Ours)
	}
	return "| " + strings.Join(cells, " | ") + " |\n"
}

// tolls is the table of what was counted.
func (b *book) tolls() string {
	var t strings.Builder
	for _, done := range b.Results {
		if done.Counts == nil {
			continue
		}
		if t.Len() == 0 {
			t.WriteString(countsHeading)
		}
		t.WriteString(done.Counts.line(done.Row))
	}
	return t.String()
}

func orDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

func inWord(reached bool) string {
	if reached {
		return "yes"
	}
	return "**no**"
}

// inTime shows three digits of some nanoseconds.
func inTime(ns float64) string {
	switch {
	case ns == 0:
		return "–"
	case ns < 1e3:
		return fmt.Sprintf("%.3g ns", ns)
	case ns < 1e6:
		return fmt.Sprintf("%.3g µs", ns/1e3)
	case ns < 1e9:
		return fmt.Sprintf("%.3g ms", ns/1e6)
	}
	return fmt.Sprintf("%.3g s", ns/1e9)
}

// inTimes is a time with its quartiles.
func inTimes(s spread) string {
	return fmt.Sprintf("%s (%s–%s)", inTime(s.Median), inTime(s.Low), inTime(s.High))
}

func inRatio(s spread) string {
	if s.Median == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f (%.2f–%.2f)", s.Median, s.Low, s.High)
}
