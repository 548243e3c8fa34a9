package main

import (
	"fmt"
	"strings"
)

// page is what README.md shows: the table, what is to be said of it, and the plots.
func (b *book) page() string { return b.table() + b.remarks() + b.pictures() }

const heading = `| work | compared with | goal | Holdfast | peer | ratio (quartiles) | reached | calls (syncs), of the peer | allocations |
|---|---|---|---|---|---|---|---|---|
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
	cells := []string{r.work, orDash(r.peer), r.goal.String(), inTime(done.Ours.Median), inTime(done.Peer.Median),
		inRatio(done.Ratio), inWord(done.Reached), done.Counts.calls(), done.Counts.allocations()}
	switch {
	case !done.measured():
		cells[3], cells[6] = "not measured: "+done.Missing+done.Failure, "–"
	case r.peer == "":
		cells[3] = inTimes(done.Ours)
	}
	return "| " + strings.Join(cells, " | ") + " |\n"
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
