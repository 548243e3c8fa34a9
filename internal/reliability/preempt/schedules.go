package preempt

import (
	"context"
	"fmt"
	"slices"

	"holdfast/internal/reliability/check"
	"holdfast/internal/reliability/lab"
)

// schedules are of one workload: what another does at one stop, or, where other is
// empty, looking at each of some stops.
type schedules struct {
	scene *lab.Scene
	stops []stop
	other string
	// recovers is set where the first one is a forced recovery from the owner who is there
	// when it begins.
	recovers bool
}

func (s schedules) String() string {
	what := s.scene.Name
	switch {
	case s.looks():
		return fmt.Sprintf("%s, looked at after %s and later", what, s.stops[0])
	case s.recovers:
		what = "forced recovery from a living owner, in the place of " + what
	}
	return fmt.Sprintf("%s, stopped after %s, meanwhile %s", what, s.stops[0], s.other)
}

func (s schedules) looks() bool { return s.other == "" }

// count is how many schedules they are.
func (s schedules) count() int {
	if s.looks() {
		return len(s.stops) * len(lookers)
	}
	return 1
}

// together is how many stops others look at in one run of the workload.
const together = 24

// ofScene is every schedule of a workload.
func ofScene(ctx context.Context, s *lab.Scene, below string) (all []schedules, err error) {
	stops, err := stopsOn(ctx, s, below)
	for some := range slices.Chunk(stops, together) {
		all = append(all, schedules{scene: s, stops: some})
	}
	for _, at := range stops {
		for _, other := range others {
			if !ofOwner(other) || s.Unowned() {
				all = append(all, schedules{scene: s, stops: []stop{at}, other: other})
			}
		}
	}
	return all, err
}

// stopsOn returns the stops of a workload on a store of its own.
func stopsOn(ctx context.Context, s *lab.Scene, below string) ([]stop, error) {
	run, err := s.Fresh(below, 0)
	if err != nil {
		return nil, err
	}
	defer run.Remove()
	return stopsOf(ctx, s, run)
}

// unreached counts runs that ended before their stop.
const unreached = "ended before their stop"

// play plays the schedules on a fresh store.
func (s schedules) play(ctx context.Context, r *lab.Report, run lab.Run) {
	h := s.scene.History.Clone()
	told := h.Of(lab.Digest)
	told.Unanswered += s.scene.Publishes + 2
	play := s.interrupt
	if s.looks() {
		play = s.look
	}
	wrong, err := play(ctx, r, &run, h)
	if err != nil {
		wrong = append(wrong, err.Error())
	}
	if revision, ok := run.Revision(); ok {
		told.Somewhen = append(told.Somewhen, revision)
	}
	if run.Exit == 1 || run.Exit == 2 || run.Exit == -1 {
		wrong = append(wrong, fmt.Sprintf("exits with %d: %s", run.Exit, run.Said))
	}
	if s.recovers {
		wrong = append(wrong, s.judgeRecovery(run, told)...)
	}
	if err == nil {
		wrong = append(wrong, lab.JudgeAndCare(ctx, run.Dir, h)...)
	}
	r.Fault(s.String(), wrong...)
}

// look has others look at each stop.
func (s schedules) look(ctx context.Context, r *lab.Report, run *lab.Run, h check.History) (wrong []string, err error) {
	f, err := start(ctx, s.scene, run)
	if err != nil {
		return nil, err
	}
	for _, at := range s.stops {
		if there, err := f.goTo(at); err != nil || !there {
			r.Count(unreached, 1)
			return wrong, f.finish(run, err)
		}
		r.Count("stops", 1)
		before := treeOf(run.Dir)
		for _, other := range lookers {
			wrong = append(wrong, meanwhile(ctx, s.scene, other, *run, h)...)
			r.Count("schedules", 1)
		}
		if after := treeOf(run.Dir); after != before {
			wrong = append(wrong, fmt.Sprintf("looking after %s changed the store (I8):\n%s\n%s", at, before, after))
		}
	}
	return wrong, f.finish(run, f.release())
}

// interrupt has another do something at one stop.
func (s schedules) interrupt(ctx context.Context, r *lab.Report, run *lab.Run, h check.History) (wrong []string, err error) {
	other := func(bool) []string { return meanwhile(ctx, s.scene, s.other, *run, h) }
	if ofOwner(s.other) {
		o, err := startOwner(ctx, run.Dir, h)
		if err != nil {
			return nil, err
		}
		if s.recovers {
			s.scene = s.scene.Recovering(o.revision)
		}
		other = func(alone bool) []string { return o.end(s.other, run.Dir, h, alone) }
	}
	f, err := start(ctx, s.scene, run)
	if err != nil {
		return nil, err
	}
	there, err := f.goTo(s.stops[0])
	switch {
	case err == nil && there:
		r.Count("stops", 1)
		err = f.halt()
	default:
		r.Count(unreached, 1)
	}
	if there && err == nil || ofOwner(s.other) {
		wrong = other(there)
	}
	r.Count("schedules", 1)
	return wrong, f.finish(run, err)
}
