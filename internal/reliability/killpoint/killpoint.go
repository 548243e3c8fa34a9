// Package killpoint kills a workload before each of its system calls, one run a call.
//
// A point is a workload and one of its calls. The process dies on the way into that
// call, which is not done, so that every point is a kill between two calls; together they
// are every moment at which a process can end. Besides what every lane judges, none may
// leave it open whether the owner is gone.
package killpoint

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"holdfast/internal/reliability/lab"
	"holdfast/ownership"
)

// point is one moment to kill at.
type point struct {
	scene *lab.Scene
	call  lab.Call
}

func (p point) String() string { return fmt.Sprintf("%s, killed before %s", p.scene.Name, p.call) }

// Run kills at every point, or at as many as the plan has rounds.
func Run(ctx context.Context, p lab.Plan) (*lab.Report, error) { return run(ctx, p, nil) }

// Changes kills before the calls only that change something.
func Changes(ctx context.Context, p lab.Plan) (*lab.Report, error) {
	return run(ctx, p, []string{"openat", "write", "fsync", "renameat", "linkat", "unlinkat", "mkdirat"})
}

// run kills before the calls of some names that do more than look, or, without names,
// before every call.
func run(ctx context.Context, p lab.Plan, names []string) (*lab.Report, error) {
	r := lab.NewReport("kill points", p.Seed)
	room, remove, err := p.Room()
	if err != nil {
		return r, err
	}
	defer remove()
	points, err := points(ctx, r, p, room, names)
	if err != nil {
		return r, err
	}
	chosen := p.Chosen(lab.NamesOf(points))
	p.Each(ctx, len(chosen), func(ctx context.Context, worker, i int) {
		kill(ctx, r, points[chosen[i]], fmt.Sprintf("%s/%d", room, worker), chosen[i])
	})
	return r, nil
}

func points(ctx context.Context, r *lab.Report, p lab.Plan, room string, names []string) (all []point, err error) {
	scenes, err := p.Scenes(ctx, room)
	if err != nil {
		return nil, err
	}
	for _, scene := range scenes {
		trace, err := scene.Trace(ctx, room)
		if err != nil {
			return nil, err
		}
		for i, call := range trace.Calls {
			looks := strings.Contains(trace.Lines[i], "O_RDONLY")
			if names == nil || slices.Contains(names, call.Name) && !looks {
				all = append(all, point{scene, call})
			}
		}
		r.Count("workloads", 1)
	}
	r.Count("points known", len(all))
	return all, nil
}

func kill(ctx context.Context, r *lab.Report, at point, below string, i int) {
	where := at.String()
	run, err := at.scene.Fresh(below, i)
	if err != nil {
		r.Fault(where, err.Error())
		return
	}
	defer run.Remove()
	if err := at.scene.Do(ctx, &run, "-o", "/dev/null", "-e", "trace="+at.call.Name, "-e", at.call.Tampering("signal=KILL")); err != nil {
		r.Fault(where, err.Error())
		return
	}
	r.Count("points", 1)
	if run.Exit == -1 {
		r.Count("kills", 1)
	}
	r.Fault(where, unproven(ctx, run)...)
	r.Fault(where, at.scene.Judge(ctx, run.Dir, run.Outcome)...)
}

// unproven holds that a kill, on a machine that goes on, leaves nothing in doubt: its
// locks tell that the owner is gone, or there is none.
func unproven(ctx context.Context, run lab.Run) []string {
	i, err := lab.AwaitUnheld(ctx, run.Dir)
	switch {
	case err != nil:
		return []string{err.Error()}
	case i.State == ownership.StateUnproven:
		return []string{fmt.Sprintf("nobody can tell whether the owner is gone: %v", i.Liveness.Evidence)}
	}
	return nil
}
