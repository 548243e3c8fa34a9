package faults

import (
	"context"
	"fmt"
	"syscall"

	"holdfast/internal/durable"
	"holdfast/internal/reliability/lab"
)

// Lies does every call of the store's seam and answers it with an error all the same.
func Lies(ctx context.Context, p lab.Plan) (*lab.Report, error) {
	r := lab.NewReport("calls that are done and answered with an error", p.Seed)
	room, remove, err := p.Room()
	if err != nil {
		return r, err
	}
	defer remove()
	all, err := everyLie(ctx, r, p, room)
	if err != nil {
		return r, err
	}
	chosen := p.Chosen(lab.NamesOf(all))
	p.Each(ctx, len(chosen), func(ctx context.Context, worker, i int) {
		tell(ctx, r, all[chosen[i]], fmt.Sprintf("%s/%d", room, worker), chosen[i])
	})
	return r, nil
}

// lie is the nth call of the seam, from 0, and the error it is answered with.
type lie struct {
	scene *lab.Scene
	n     int
	call  durable.Call
	error syscall.Errno
}

func (l lie) String() string {
	return fmt.Sprintf("%s, %s %q (call %d) done and answered with %v", l.scene.Name, l.call.Op, l.call.Name, l.n, l.error)
}

// failsSync reports whether it is a sync that is answered with an error which one can have.
func (l lie) failsSync() bool {
	return (l.call.Op == "fsync" || l.call.Op == "sync") && (l.error == syscall.EIO || l.error == syscall.ENOSPC)
}

func everyLie(ctx context.Context, r *lab.Report, p lab.Plan, room string) (all []lie, err error) {
	scenes, err := p.Scenes(ctx, room)
	if err != nil {
		return nil, err
	}
	for _, scene := range scenes {
		run, err := scene.Fresh(room, 0)
		if err != nil {
			return nil, err
		}
		var calls []durable.Call
		scene.Act(ctx, &run, func(c durable.Call, apply func() error) error {
			calls = append(calls, c)
			return apply()
		})
		run.Remove()
		for n, call := range calls {
			for _, error := range []syscall.Errno{syscall.EIO, syscall.ENOSPC, syscall.EEXIST, syscall.ENOENT} {
				all = append(all, lie{scene, n, call, error})
			}
		}
	}
	r.Count("lies known", len(all))
	return all, nil
}

func tell(ctx context.Context, r *lab.Report, l lie, below string, i int) {
	run, err := l.scene.Fresh(below, i)
	if err != nil {
		r.Fault(l.String(), err.Error())
		return
	}
	defer run.Remove()
	n := -1
	l.scene.Act(ctx, &run, func(_ durable.Call, apply func() error) error {
		n++
		if err := apply(); n != l.n {
			return err
		}
		return l.error
	})
	r.Count("lies", 1)
	if l.failsSync() {
		r.Count("of syncs", 1)
		r.Fault(l.String(), unsynced(run.Outcome)...)
	}
	r.Fault(l.String(), l.scene.Judge(ctx, run.Dir, run.Outcome)...)
}
