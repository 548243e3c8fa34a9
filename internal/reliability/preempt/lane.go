package preempt

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"holdfast/internal/reliability/lab"
)

// schedule is one preemption.
type schedule struct {
	scene *lab.Scene
	call  lab.Call
	other string
}

func (s schedule) String() string {
	return fmt.Sprintf("%s, stopped after %s, meanwhile %s", s.scene.Name, s.call, s.other)
}

// Run tries every schedule in which the first one stops after a call to its store, or as many as the plan has rounds.
func Run(ctx context.Context, p lab.Plan) (*lab.Report, error) {
	return try(ctx, p, others, func(lab.Call) bool { return true })
}

// Seen has others look after each rename, which is when a record comes into force.
func Seen(ctx context.Context, p lab.Plan) (*lab.Report, error) {
	return try(ctx, p, []string{"inspect"}, func(c lab.Call) bool { return c.Name == "renameat" })
}

func try(ctx context.Context, p lab.Plan, others []string, at func(lab.Call) bool) (*lab.Report, error) {
	r := lab.NewReport("one-preemption schedules", p.Seed)
	room, remove, err := p.Room()
	if err != nil {
		return r, err
	}
	defer remove()
	all, err := schedules(ctx, p, room, others, at)
	if err != nil {
		return r, err
	}
	r.Count("schedules known", len(all))
	chosen := p.Chosen(len(all))
	p.Each(ctx, len(chosen), func(ctx context.Context, worker, i int) {
		preempt(ctx, r, all[chosen[i]], fmt.Sprintf("%s/%d", room, worker), chosen[i])
	})
	return r, nil
}

func schedules(ctx context.Context, p lab.Plan, room string, others []string, at func(lab.Call) bool) (all []schedule, err error) {
	scenes, err := p.Scenes(ctx, room)
	if err != nil {
		return nil, err
	}
	for _, scene := range scenes {
		calls, lines, err := scene.Trace(ctx, room, "-y")
		if err != nil {
			return nil, err
		}
		for i, call := range calls {
			if !at(call) || !strings.Contains(lines[i], "/store") {
				continue
			}
			for _, other := range others {
				if other == release && !scene.Unowned() {
					continue
				}
				all = append(all, schedule{scene, call, other})
			}
		}
	}
	return all, nil
}

func preempt(ctx context.Context, r *lab.Report, s schedule, below string, i int) {
	run, err := s.scene.Fresh(below, i)
	if err != nil {
		r.Fault(s.String(), err.Error())
		return
	}
	defer run.Remove()
	h := s.scene.History.Clone()
	told := h.Of(lab.Digest)
	told.Unanswered += s.scene.Publishes + 2
	meanwhile := func(bool) []string { return meanwhile(ctx, s.scene, s.other, run, h) }
	if s.other == release {
		o, err := startOwner(ctx, run.Dir, h)
		if err != nil {
			r.Fault(s.String(), err.Error())
			return
		}
		meanwhile = func(alone bool) []string { return o.release(run.Dir, h, alone) }
	}
	v, err := stopAfter(ctx, s.scene, &run, s.call)
	if err == nil && v != nil || s.other == release {
		r.Fault(s.String(), meanwhile(v != nil)...)
	}
	if err == nil && v != nil {
		r.Count("stops", 1)
		err = v.goOn(&run)
	}
	if err != nil {
		r.Fault(s.String(), err.Error())
		return
	}
	r.Count("schedules", 1)
	if revision, ok := run.Revision(); ok {
		told.Somewhen = append(told.Somewhen, revision)
	}
	if run.Exit == 1 || run.Exit == 2 || run.Exit == -1 {
		r.Fault(s.String(), fmt.Sprintf("exits with %d: %s", run.Exit, run.Said))
	}
	r.Fault(s.String(), lab.JudgeAndCare(ctx, filepath.Clean(run.Dir), h)...)
}
