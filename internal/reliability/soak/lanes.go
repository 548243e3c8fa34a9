package main

import (
	"context"
	"fmt"
	"os"
	"slices"

	"holdfast/internal/reliability/faults"
	"holdfast/internal/reliability/forkwindow"
	"holdfast/internal/reliability/killpoint"
	"holdfast/internal/reliability/lab"
	"holdfast/internal/reliability/linear"
	"holdfast/internal/reliability/mutants"
	"holdfast/internal/reliability/powercut"
	"holdfast/internal/reliability/powerloss"
	"holdfast/internal/reliability/preempt"
	"holdfast/internal/reliability/surroundings"
)

// lane is one lane with its sizes.
type lane struct {
	name    string
	quick   int // rounds of a test; 0: no test runs it
	change  int // rounds for every change
	soak    int // rounds of a soak; 0: everything there is
	onDisk  bool
	run     func(context.Context, lab.Plan) (*lab.Report, error)
	missing func() string // what it needs and is not there; nil: it needs nothing
	figures []string      // without which it did nothing
}

var lanes = []lane{
	// I5, I6, I9, I11: a process that is killed anywhere leaves a store that tells the truth.
	{name: "kill", quick: 8, change: 600, run: killpoint.Run, missing: lab.HasStrace, figures: []string{"kills"}},
	{name: "kill-disk", change: 200, onDisk: true, run: killpoint.Run, figures: []string{"kills"}},
	// I8, I9: what is answered is the truth, whatever failed.
	{name: "errors", quick: 12, change: 700, soak: 4500, run: faults.Errors, missing: lab.HasStrace, figures: []string{"errors"}},
	{name: "cleanup", quick: 1, change: 40, soak: 400, run: faults.Cleanups, missing: lab.HasStrace, figures: []string{"kills"}},
	{name: "lies", quick: 40, run: faults.Lies, figures: []string{"lies"}},
	// I1, I2, I9, I11: the power may fail at any moment, and again while people look after
	// what it left.
	{name: "power", quick: 1, change: 20, soak: 150, run: powerloss.Run, missing: lab.HasStrace, figures: []string{"states", "crashed again"}},
	// I3, I4, I6, I7: whoever comes in between, one owner at a time, and nothing is lost.
	{name: "preempt", quick: 4, change: 400, run: preempt.Run, missing: lab.HasStrace, figures: []string{"stops"}},
	// I9: what somebody was told survives the power, on real file systems.
	{name: "cut", quick: 7, change: 84, soak: 840, run: powercut.Run, missing: powercut.Missing, figures: []string{"cuts"}},
	{name: "fork", quick: 150, change: 20_000, soak: 400_000, run: forkwindow.Run, figures: []string{"children", "cycles"}},
	// I2, I3, I6, I7: there is an order of what everybody did that explains what each was told.
	{name: "linear", quick: 60, change: 2500, soak: 50_000, run: linear.Run, figures: []string{"kills", "acquired"}},
	{name: "surroundings", quick: 4, run: surroundings.Run, missing: surroundings.Missing, figures: []string{"commands"}},
	{name: "mutants", run: mutants.Run, figures: []string{"mutants"}},
	{name: "short", quick: 10, change: 300, soak: 4000, run: faults.Shorts, missing: lab.HasStrace, figures: []string{"short writes"}},
}

// didNothing returns an error if a lane ran and a figure is zero that must not be.
func (l lane) didNothing(r *lab.Report) error {
	for _, what := range l.figures {
		if r.Figure(what) == 0 {
			return fmt.Errorf("it covered nothing: 0 %s", what)
		}
	}
	return nil
}

func names() []string { return namesOf(func(lane) bool { return true }) }

func namesOf(which func(lane) bool) (all []string) {
	for _, l := range lanes {
		if which(l) {
			all = append(all, l.name)
		}
	}
	return all
}

// replayed reports whether one violation of a lane can be had again alone, by its name. In
// the others, chance plays along.
func replayed(l lane) bool {
	return !slices.Contains([]string{"cut", "fork", "linear", "surroundings"}, l.name)
}

// again is the command line that looks again at the first violation.
func (l lane) again(o options, r *lab.Report) string {
	line := fmt.Sprintf("go run ./internal/reliability/soak -lane %s -seed %d", l.name, r.Seed)
	if replayed(l) {
		return line + fmt.Sprintf(" -at '%s'", r.First())
	}
	return line + fmt.Sprintf(" -rounds %d", l.plan(o).Rounds)
}

// plan is the plan of the command line with what this lane needs.
func (l lane) plan(o options) lab.Plan {
	p := o.plan
	if p.Rounds == 0 && o.size == "change" {
		p.Rounds = l.change
	} else if p.Rounds == 0 {
		p.Rounds = l.soak
	}
	if p.Base == "" && l.onDisk {
		p.Base = os.TempDir()
	}
	return p
}
