package settle

import (
	"bytes"
	"slices"

	"holdfast/ownership"
)

// Signal is the word by which an agent says how its work ended.
type Signal string

// The signals.
const (
	SignalDone    Signal = "TASK_DONE"
	SignalFailed  Signal = "TASK_FAILED"
	SignalSkipped Signal = "TASK_SKIPPED"
)

// outcome is what a signal says.
func (s Signal) outcome() (o ownership.Outcome, ok bool) {
	switch s {
	case SignalDone:
		return ownership.OutcomeDone, true
	case SignalFailed:
		return ownership.OutcomeFailed, true
	case SignalSkipped:
		return ownership.OutcomeSkipped, true
	}
	return "", false
}

// SignalLines is how many of a transcript's last lines can hold a signal. An empty line
// is a line; what ends the last one begins no other.
const SignalLines = 5

// SignalsIn returns the different signals that stand alone on one of the last
// [SignalLines] lines, in their order. Tail must begin where a line begins. Blanks and
// colours around a signal do not count.
func SignalsIn(tail []byte) []Signal {
	var found []Signal
	for _, line := range lastLines(tail) {
		s := Signal(bytes.TrimSpace(withoutColours(line)))
		if _, ok := s.outcome(); ok && !slices.Contains(found, s) {
			found = append(found, s)
		}
	}
	return found
}

// colour begins what tells a terminal to change its colours: numbers follow, and an m.
const colour = "\x1b["

// withoutColours leaves out changes of colour, which are no part of a line. A regular
// expression would say it shorter, and cost every start of a command the tables of package
// unicode.
func withoutColours(line []byte) []byte {
	var kept []byte
	for {
		before, after, found := bytes.Cut(line, []byte(colour))
		kept = append(kept, before...)
		if !found {
			return kept
		}
		rest := bytes.TrimLeft(after, "0123456789;:")
		if line, found = bytes.CutPrefix(rest, []byte("m")); !found {
			kept, line = append(kept, colour...), after
		}
	}
}

// lastLines returns at most SignalLines lines, oldest first.
func lastLines(tail []byte) [][]byte {
	tail = bytes.TrimSuffix(tail, []byte("\n"))
	var lines [][]byte
	for range SignalLines {
		i := bytes.LastIndexByte(tail, '\n')
		lines = append(lines, tail[i+1:])
		if i < 0 {
			break
		}
		tail = tail[:i]
	}
	slices.Reverse(lines)
	return lines
}
