package faults

import (
	"bytes"
	"context"
	"fmt"

	"holdfast/internal/reliability/actor"
	"holdfast/internal/reliability/lab"
)

// largest is the largest limit: above it every record fits.
const largest = 2048

// Shorts limits the size of every file, so that a write stops in the middle of what is
// written.
func Shorts(ctx context.Context, p lab.Plan) (*lab.Report, error) {
	r := lab.NewReport("short writes", p.Seed)
	room, remove, err := p.Room()
	if err != nil {
		return r, err
	}
	defer remove()
	scenes, err := p.Scenes(ctx, room)
	if err != nil {
		return r, err
	}
	var all []short
	for size := range largest {
		for _, scene := range scenes {
			all = append(all, short{scene, size})
		}
	}
	chosen := p.Chosen(lab.NamesOf(all))
	p.Each(ctx, len(chosen), func(ctx context.Context, worker, i int) {
		limit(ctx, r, all[chosen[i]], fmt.Sprintf("%s/%d", room, worker), chosen[i])
	})
	return r, nil
}

// short is a limit under which a workload runs.
type short struct {
	scene *lab.Scene
	size  int
}

func (s short) String() string {
	return fmt.Sprintf("%s, no file larger than %d bytes", s.scene.Name, s.size)
}

func limit(ctx context.Context, r *lab.Report, l short, below string, i int) {
	s, where := l.scene, l.String()
	run, err := s.Fresh(below, i)
	if err != nil {
		r.Fault(where, err.Error())
		return
	}
	defer run.Remove()
	cmd := actor.Under(ctx, []string{"prlimit", fmt.Sprintf("--fsize=%d", l.size)}, run.Dir, s.Args(run.Told)...)
	var said bytes.Buffer
	cmd.Stderr = &said // a pipe: what is said has no limit
	if err := cmd.Run(); cmd.ProcessState == nil {
		r.Fault(where, err.Error())
		return
	}
	run.Exit, run.Said = cmd.ProcessState.ExitCode(), said.String()
	r.Count("short writes", 1)
	if run.Exit == 0 {
		r.Count("that were long enough", 1)
	}
	r.Fault(where, s.Judge(ctx, run.Dir, run.Outcome)...)
}
