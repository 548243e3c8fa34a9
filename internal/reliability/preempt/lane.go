package preempt

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"holdfast/internal/reliability/lab"
)

// Run tries every schedule in which the first one stops after a call to its store, or
// about as many as the plan has rounds.
func Run(ctx context.Context, p lab.Plan) (*lab.Report, error) {
	return try(ctx, p, func(ctx context.Context, s *lab.Scene, below string) ([]schedules, error) {
		all, err := ofScene(ctx, s, below)
		if err != nil || !s.Owns() || !s.Unowned() {
			return all, err
		}
		some, err := ofLivingOwner(ctx, s, below)
		return append(all, some...), err
	})
}

// Seen has others look after each rename, which is when a record comes into force.
func Seen(ctx context.Context, p lab.Plan) (*lab.Report, error) {
	return try(ctx, p, func(ctx context.Context, s *lab.Scene, below string) ([]schedules, error) {
		stops, err := stopsOn(ctx, s, below)
		renames := slices.DeleteFunc(stops, func(at stop) bool { return at.name != "renameat" })
		return []schedules{{scene: s, stops: renames}}, err
	})
}

func try(ctx context.Context, p lab.Plan, of func(ctx context.Context, s *lab.Scene, below string) ([]schedules, error)) (*lab.Report, error) {
	r := lab.NewReport("one-preemption schedules", p.Seed)
	room, remove, err := p.Room()
	if err != nil {
		return r, err
	}
	defer remove()
	scenes, err := p.Scenes(ctx, room)
	if err != nil {
		return r, err
	}
	var all []schedules
	for _, scene := range scenes {
		// Whoever stops one thread stops for nothing while another one goes on.
		if _, err := scene.Trace(ctx, room); err != nil {
			return r, err
		}
		some, err := of(ctx, scene, room)
		if err != nil {
			return r, err
		}
		all = append(all, some...)
	}
	for _, s := range all {
		r.Count("schedules known", s.count())
	}
	chosen := p.Chosen(lab.NamesOf(all))
	p.Each(ctx, len(chosen), func(ctx context.Context, worker, i int) {
		runtime.LockOSThread() // which is what traces
		defer runtime.UnlockOSThread()
		s := all[chosen[i]]
		run, err := s.scene.Fresh(fmt.Sprintf("%s/%d", room, worker), chosen[i])
		if err != nil {
			r.Fault(s.String(), err.Error())
			return
		}
		defer run.Remove()
		s.play(ctx, r, run)
	})
	return r, nil
}
