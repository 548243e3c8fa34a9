// Package forkwindow is a host that spawns children without pause while it takes and
// releases a session.
//
// Between fork and exec a child has a copy of every descriptor of its host, locks
// included. A lock that is closed and not unlocked stays with that child for a moment,
// in which the next acquire of the same host would be refused for no reason.
package forkwindow

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"sync"

	"holdfast/internal/reliability/lab"
	"holdfast/lease"
	"holdfast/lease/dirstore"
	"holdfast/ownership"
)

// spawners is how many goroutines spawn children.
const spawners = 2

// Run takes and releases as often as the plan has rounds. Every refusal is spurious:
// nobody else uses the store.
func Run(ctx context.Context, p lab.Plan) (*lab.Report, error) {
	r := lab.NewReport("fork window", p.Seed)
	room, remove, err := p.Room()
	if err != nil {
		return r, err
	}
	defer remove()
	spawning, stop := context.WithCancel(ctx)
	var wg sync.WaitGroup
	for range spawners {
		wg.Go(func() { spawn(spawning, r) })
	}
	h, err := newHost(filepath.Join(room, "store"))
	if err == nil {
		p.Jobs = 1
		p.Each(ctx, p.Rounds, func(ctx context.Context, _, i int) { h.cycle(ctx, r, i) })
	}
	stop()
	wg.Wait()
	return r, err
}

func spawn(ctx context.Context, r *lab.Report) {
	for ctx.Err() == nil {
		if err := exec.Command("true").Run(); err != nil {
			r.Fault("spawn", err.Error())
			return
		}
		r.Count("children", 1)
	}
}

// host takes and releases one session. It begins anew once in a while, since history
// grows.
type host struct {
	store lease.Store
	key   ownership.Key
}

func newHost(dir string) (host, error) {
	s, err := dirstore.Open(dir, dirstore.Options{})
	if err != nil {
		return host{}, err
	}
	k, err := ownership.ParseKey(lab.Key)
	return host{s, k}, err
}

// session is how many cycles a session is used for.
const session = 500

func (h host) cycle(ctx context.Context, r *lab.Report, i int) {
	key, err := ownership.ParseKey(fmt.Sprintf("%s/%d", h.key, i/session))
	if err != nil {
		r.Fault(lab.Key, err.Error())
		return
	}
	where := fmt.Sprintf("cycle %d", i)
	l, err := lease.Acquire(ctx, h.store, key, lease.Owner{Kin: true})
	if err != nil {
		r.Fault(where, err.Error())
		return
	}
	r.Count("cycles", 1)
	if err := l.Release(ctx); err != nil {
		r.Fault(where, err.Error())
		_ = l.Abandon(ctx, "it could not be released")
	}
}
