package linear

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"

	"holdfast/internal/reliability/check"
	"holdfast/internal/reliability/lab"
)

// Sizes of an episode.
const (
	clients  = 6
	sessions = 3
	turns    = 40 // of each client
)

// Run plays episodes until the plan's rounds, which are processes, have been started.
func Run(ctx context.Context, p lab.Plan) (*lab.Report, error) {
	r := lab.NewReport("linearizability", p.Seed)
	room, remove, err := p.Room()
	if err != nil {
		return r, err
	}
	defer remove()
	end := time.Now().Add(p.For)
	for n := 0; r.Figure("processes") < p.Rounds && ctx.Err() == nil; n++ {
		if p.For > 0 && time.Now().After(end) {
			break
		}
		if err := play(context.WithoutCancel(ctx), r, filepath.Join(room, fmt.Sprint(n)), p, n); err != nil {
			return r, err
		}
	}
	return r, nil
}

// play plays one episode and judges it.
func play(ctx context.Context, r *lab.Report, store string, p lab.Plan, n int) error {
	e := &episode{report: r, store: store, start: time.Now()}
	for i := range sessions {
		s, err := newSession(fmt.Sprintf("s%d", i))
		if err != nil {
			return err
		}
		e.sessions = append(e.sessions, s)
	}
	var wg sync.WaitGroup
	most := turns
	if p.Rounds > 0 {
		most = min(turns, 1+p.Rounds/clients)
	}
	for id := range clients {
		c := &client{e, id, rand.New(rand.NewPCG(uint64(p.Seed), uint64(n*clients+id)))}
		wg.Go(func() {
			for range most {
				if err := c.turn(ctx); err != nil {
					r.Fault(fmt.Sprintf("episode %d", n), err.Error())
				}
			}
		})
	}
	wg.Wait()
	r.Count("episodes", 1)
	h := check.History{}
	for _, s := range e.sessions {
		told, wrong := s.judge(store)
		h[s.digest] = told
		r.Count("events in one order", len(s.events))
		r.Fault(fmt.Sprintf("episode %d, session %s", n, s.key), wrong...)
		if len(wrong) > 0 && p.Log != nil {
			s.tell(p.Log)
		}
	}
	for _, v := range check.Store(store, h) {
		r.Fault(fmt.Sprintf("episode %d", n), v.String())
	}
	return os.RemoveAll(store)
}
