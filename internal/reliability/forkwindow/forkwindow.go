// Package forkwindow is a host that spawns children without pause while it takes and
// releases sessions.
//
// Between fork and exec a child has a copy of every descriptor of its host, locks
// included. A lock that is closed and not unlocked stays with that child for a moment,
// in which the next acquire of the same host would be refused for no reason.
package forkwindow

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"

	"holdfast/internal/reliability/lab"
	"holdfast/lease"
	"holdfast/lease/dirstore"
	"holdfast/ownership"
)

// How many goroutines of the host spawn children, and how many take sessions, each its
// own one.
const (
	spawners = 2
	takers   = 4
)

// Run takes and releases as often as the plan has rounds. Every refusal is spurious:
// nobody else uses the store.
func Run(ctx context.Context, p lab.Plan) (*lab.Report, error) {
	r := lab.NewReport("fork window", p.Seed)
	child, err := exec.LookPath("true")
	if err != nil {
		return r, err
	}
	room, remove, err := p.Room()
	if err != nil {
		return r, err
	}
	defer remove()
	dir := filepath.Join(room, "store")
	store, err := dirstore.Open(dir, dirstore.Options{})
	if err != nil {
		return r, err
	}
	spawning, stop := context.WithCancel(ctx)
	var wg sync.WaitGroup
	for range spawners {
		wg.Go(func() { spawn(spawning, r, child) })
	}
	all := make([]*taker, takers)
	for i := range all {
		all[i] = &taker{report: r, dir: dir, store: store, id: i}
	}
	p.Jobs = takers
	p.Each(ctx, p.Rounds, func(ctx context.Context, worker, _ int) { all[worker].cycle(ctx) })
	stop()
	wg.Wait()
	return r, nil
}

// spawn spares what package os/exec does besides: the more forks a second, the more
// windows.
func spawn(ctx context.Context, r *lab.Report, child string) {
	for ctx.Err() == nil {
		pid, err := syscall.ForkExec(child, []string{child}, &syscall.ProcAttr{Files: []uintptr{0, 1, 2}})
		if err == nil {
			err = wait(pid)
		}
		if err != nil {
			r.Fault("spawn", err.Error())
			return
		}
		r.Count("children", 1)
	}
}

func wait(pid int) error {
	for {
		var status syscall.WaitStatus
		_, err := syscall.Wait4(pid, &status, 0, nil)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// taker takes and releases one session. It begins another once in a while and removes
// the one before, since history grows.
type taker struct {
	report *lab.Report
	dir    string
	store  lease.Store
	id     int
	done   int
}

// session is how many cycles a session is used for.
const session = 500

func (t *taker) cycle(ctx context.Context) {
	where := fmt.Sprintf("taker %d, cycle %d", t.id, t.done)
	key, err := ownership.ParseKey(fmt.Sprintf("%s/%d/%d", lab.Key, t.id, t.done/session))
	if err == nil {
		err = t.takeAndRelease(ctx, key)
	}
	if err != nil {
		t.report.Fault(where, err.Error())
	} else {
		t.report.Count("cycles", 1)
	}
	if t.done++; t.done%session == 0 {
		t.judge(key.Digest())
	}
}

func (t *taker) takeAndRelease(ctx context.Context, key ownership.Key) error {
	l, err := lease.Acquire(ctx, t.store, key, lease.Owner{Kin: true})
	if err != nil {
		return err
	}
	if err := l.Release(ctx); err != nil {
		return errors.Join(err, l.Abandon(ctx, "it could not be released"))
	}
	return nil
}

// judge holds that every cycle of the session counted, and removes it.
func (t *taker) judge(d ownership.Digest) {
	i, err := lease.Inspect(context.Background(), t.store, d)
	if err == nil && (i.State != ownership.StateIdle || i.Record.Generation != session) {
		err = fmt.Errorf("after %d cycles it is %s: %+v", session, i.State, i.Record)
	}
	if err != nil {
		t.report.Fault(fmt.Sprintf("taker %d, cycle %d", t.id, t.done), err.Error())
	}
	t.report.Count("sessions", 1)
	if err := os.RemoveAll(filepath.Join(t.dir, "sessions", d.String())); err != nil {
		t.report.Fault("remove", err.Error())
	}
}
