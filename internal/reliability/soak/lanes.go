package main

import (
	"context"
	"os"

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
	name   string
	change int // rounds for every change
	soak   int // rounds of a soak; 0: everything there is
	onDisk bool
	run    func(context.Context, lab.Plan) (*lab.Report, error)
}

var lanes = []lane{
	{name: "kill", change: 600, run: killpoint.Run},
	{name: "kill-disk", change: 200, onDisk: true, run: killpoint.Run},
	{name: "errors", change: 700, run: faults.Errors},
	{name: "cleanup", change: 40, soak: 400, run: faults.Cleanups},
	{name: "lies", run: faults.Lies},
	{name: "power", change: 20, soak: 400, run: powerloss.Run},
	{name: "preempt", change: 250, run: preempt.Run},
	{name: "cut", change: 60, soak: 600, run: powercut.Run},
	{name: "fork", change: 20_000, soak: 400_000, run: forkwindow.Run},
	{name: "linear", change: 2500, soak: 50_000, run: linear.Run},
	{name: "surroundings", run: surroundings.Run},
	{name: "mutants", run: mutants.Run},
	{name: "short", change: 300, soak: 4000, run: faults.Shorts},
}

func names() (all []string) {
	for _, l := range lanes {
		all = append(all, l.name)
	}
	return all
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
