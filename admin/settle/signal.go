package settle

import (
	"bytes"
	"regexp"
	"slices"
	"sync"

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

// said is what each signal says.
var said = map[Signal]ownership.Outcome{
	SignalDone:    ownership.OutcomeDone,
	SignalFailed:  ownership.OutcomeFailed,
	SignalSkipped: ownership.OutcomeSkipped,
}

// SignalLines is how many of a transcript's last lines can hold a signal. An empty line
// is a line; what ends the last one begins no other.
const SignalLines = 5

// colour is how a terminal is told to change its colours, which are no part of a line.
// Most commands never settle anything, and do not pay for it.
var colour = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\x1b\[[0-9;:]*m`) })

// SignalsIn returns the different signals that stand alone on one of the last
// [SignalLines] lines, in their order. Tail must begin where a line begins. Blanks and
// colours around a signal do not count.
func SignalsIn(tail []byte) []Signal {
	var found []Signal
	for _, line := range lastLines(tail) {
		s := Signal(bytes.TrimSpace(colour().ReplaceAll(line, nil)))
		if _, ok := said[s]; ok && !slices.Contains(found, s) {
			found = append(found, s)
		}
	}
	return found
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
