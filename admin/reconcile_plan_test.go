package admin

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/probe"
	"holdfast/internal/procid"
	"holdfast/lease"
	"holdfast/ownership"
)

// situated is a session in a state, with what a probe said of it.
func situated(state ownership.State, evidence ...ownership.Evidence) facts {
	r := &ownership.Record{State: ownership.RecordActive, Owner: &ownership.Owner{Host: "devbox", BootID: procid.ThisHost().BootID}}
	f := facts{seen: lease.Inspection{State: state, Record: r, Liveness: &ownership.Liveness{Evidence: evidence}}}
	switch state {
	case ownership.StateIdle:
		r.State = ownership.RecordIdle
	case ownership.StateUnreadable:
		f.seen.Record, f.seen.Fault = nil, errors.New("no record")
	}
	return f
}

func (f facts) with(change func(*facts)) facts {
	change(&f)
	return f
}

var (
	oneSuspect = []probe.Suspect{{Process: ownership.Process{PID: 7, Program: "node"}, Why: "works there"}}
	alive      = runtimeFact{runtimeAlive, "tmux has it"}
	unknowable = runtimeFact{runtimeUnknown, "cannot ask"}
	gone       = runtimeFact{runtimeGone, "tmux has it not"}
	lives      = ownership.Evidence{Probe: "runtime", Finding: ownership.Present, Detail: "tmux has it"}
	process    = ownership.Evidence{Probe: "owner process", Finding: ownership.Present}
	unasked    = ownership.Evidence{Probe: "runtime", Finding: ownership.Unknown}
	other      = []namer{{name: "b", state: ownership.StateHeld}}
	restable   = []namer{{name: "b", state: ownership.StateIdle}}
)

func resumable(f *facts) { f.seen.Record.Session.Resume = new("agent --resume") }

// Every line of the table.
func TestPlanOfAPass(t *testing.T) {
	const held, unproven, stranded, idle = ownership.StateHeld, ownership.StateUnproven, ownership.StateStranded, ownership.StateIdle
	for name, c := range map[string]struct {
		facts   facts
		action  ReconcileAction
		concern Concern
	}{
		"held":                                 {situated(held), ReconcileAdopt, Routine},
		"held by survivors":                    {situated(held).with(func(f *facts) { f.seen.Liveness.Held = ownership.KinLock }), ReconcileAdopt, Notable},
		"agent lives without its host":         {situated(unproven, lives), ReconcileLeave, Notable},
		"its runtime's name is another's":      {situated(unproven, lives).with(func(f *facts) { f.namers = other }), ReconcileBlocked, Waiting},
		"agent lives, and its owner's process": {situated(unproven, process, lives), ReconcileBlocked, Waiting},
		"owner's process lives":                {situated(unproven, process), ReconcileBlocked, Waiting},
		"runtime cannot be asked":              {situated(unproven, unasked), ReconcileBlocked, Waiting},
		"nothing is known":                     {situated(unproven), ReconcileBlocked, Waiting},
		"gone":                                 {situated(stranded), ReconcileRecover, Notable},
		"gone, runtime gone":                   {situated(stranded).with(func(f *facts) { f.runtime = gone }), ReconcileRecover, Notable},
		"gone, resumable":                      {situated(stranded).with(resumable), ReconcileRecover, Notable},
		"gone, runtime alive after a reboot":   {situated(stranded).with(func(f *facts) { f.runtime = alive }), ReconcileLeave, Notable},
		"gone, runtime alive and another's":    {situated(stranded).with(func(f *facts) { f.runtime, f.namers = alive, other }), ReconcileBlocked, Waiting},
		"gone, runtime unknown":                {situated(stranded).with(func(f *facts) { f.runtime = unknowable }), ReconcileBlocked, Waiting},
		"gone, suspects":                       {situated(stranded).with(func(f *facts) { f.suspects = oneSuspect }), ReconcileBlocked, Waiting},
		"gone, processes cannot be seen":       {situated(stranded).with(func(f *facts) { f.unseen = procid.ErrHidden }), ReconcileBlocked, Waiting},
		"idle":                                 {situated(idle), ReconcileLeave, Routine},
		"idle, runtime gone":                   {situated(idle).with(func(f *facts) { f.runtime = gone }), ReconcileLeave, Routine},
		"idle, resumable":                      {situated(idle).with(resumable), ReconcileRestorable, Notable},
		"idle, leaked runtime":                 {situated(idle).with(resumable).with(func(f *facts) { f.runtime = alive }), ReconcileReap, Notable},
		"idle, runtime is another's now":       {situated(idle).with(resumable).with(func(f *facts) { f.runtime, f.namers = alive, other }), ReconcileLeave, Routine},
		"idle, runtime could be another's":     {situated(idle).with(func(f *facts) { f.runtime, f.namers = alive, restable }), ReconcileLeave, Notable},
		"idle, runtime unknown":                {situated(idle).with(resumable).with(func(f *facts) { f.runtime = unknowable }), ReconcileLeave, Routine},
		"unreadable":                           {situated(ownership.StateUnreadable), ReconcileLeave, Waiting},
	} {
		t.Run(name, func(t *testing.T) {
			d := c.facts.plan()
			require.Equal(t, c.action, d.action, d.reason)
			require.Equal(t, c.concern, d.concern, d.reason)
			require.NotEmpty(t, d.reason)
		})
	}
}

// Five, and more than half of those of this boot, are one outage.
func TestOutage(t *testing.T) {
	here := procid.Host{BootID: new("this")}
	owned := func(boot string, state ownership.State) lease.Inspection {
		f := situated(state)
		f.seen.Record.Owner.BootID = &boot
		return f.seen
	}
	for _, c := range []struct {
		gone, held, unproven, rebooted int
		want                           bool
	}{
		{0, 0, 0, 0, false},
		{4, 0, 0, 0, false},
		{5, 0, 0, 0, true},
		{5, 4, 0, 0, true},
		{5, 5, 0, 0, false},
		{5, 2, 3, 0, false},
		{6, 2, 3, 0, true},
		{0, 0, 0, 500, false},
		{4, 0, 0, 500, false},
		{5, 4, 0, 500, true}, // what another boot left says nothing of this one
		{50, 51, 0, 0, false},
	} {
		var o outage
		for state, n := range map[ownership.State]int{ownership.StateStranded: c.gone, ownership.StateHeld: c.held, ownership.StateUnproven: c.unproven} {
			for range n {
				o.count(owned("this", state), here)
			}
		}
		for range c.rebooted {
			o.count(owned("earlier", ownership.StateStranded), here)
		}
		o.count(situated(ownership.StateIdle).seen, here)
		o.count(lease.Inspection{}, here)
		require.Equal(t, c.want, o.is(), "%+v", c)
		d := o.hold(situated(ownership.StateStranded).plan())
		require.Equal(t, c.want, d.action == ReconcileBlocked, "%+v", c)
		require.Equal(t, ReconcileAdopt, o.hold(situated(ownership.StateHeld).plan()).action)
	}
}
