package lab

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// Plan says how much a lane does, and with which seed.
type Plan struct {
	Seed   int64
	Rounds int           // at most; 0: everything there is
	For    time.Duration // stop after it; 0: never
	Jobs   int           // at once; 0 is 1
	Only   string        // workloads, or mutants, whose name begins with it
	At     string        // only what has this name, as a violation tells it
	Base   string        // where stores are made; "" is memory
	Log    io.Writer     // what is going on; nil: nobody wants to know
}

// Report is what a lane covered and what it found. It may be used by several
// goroutines.
type Report struct {
	Lane string
	Seed int64

	mu      sync.Mutex
	order   []string
	counts  map[string]int
	remarks []string
	faults  []string
	first   string // where the first of them was
}

// NewReport returns the empty report of a lane.
func NewReport(lane string, seed int64) *Report {
	return &Report{Lane: lane, Seed: seed, counts: map[string]int{}}
}

// Count adds n to a figure.
func (r *Report) Count(what string, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.counts[what]; !known {
		r.order = append(r.order, what)
	}
	r.counts[what] += n
}

// Figure returns a figure.
func (r *Report) Figure(what string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.counts[what]
}

// Remark adds what a reader has to know about the figures.
func (r *Report) Remark(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.remarks = append(r.remarks, fmt.Sprintf(format, args...))
}

// Fault adds a violation, with what reproduces it.
func (r *Report) Fault(where string, violations ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, v := range violations {
		if len(r.faults) == 0 {
			r.first = where
		}
		r.faults = append(r.faults, where+": "+v)
	}
}

// Faults lists the violations.
func (r *Report) Faults() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string{}, r.faults...)
}

// First returns where the first violation was, or nothing.
func (r *Report) First() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.first
}

// maxFaults bounds how many violations a report shows.
const maxFaults = 20

func (r *Report) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "%s (seed %d):", r.Lane, r.Seed)
	for _, what := range r.order {
		fmt.Fprintf(&b, " %d %s,", r.counts[what], what)
	}
	fmt.Fprintf(&b, " %d violations\n", len(r.faults))
	for _, remark := range r.remarks {
		fmt.Fprintf(&b, "  note: %s\n", remark)
	}
	for i, fault := range r.faults {
		if i == maxFaults {
			fmt.Fprintf(&b, "  … and %d more\n", len(r.faults)-i)
			break
		}
		fmt.Fprintf(&b, "  VIOLATION %s\n", fault)
	}
	return b.String()
}
