package lab

import (
	"context"
	"math/rand/v2"
	"os"
	"sync"
	"time"
)

// memory is where the kernel keeps files without a disk.
const memory = "/dev/shm"

// Room makes an empty directory for stores and returns how to remove it.
func (p Plan) Room() (dir string, remove func(), err error) {
	base := p.Base
	if base == "" {
		base = memory
		if _, err := os.Stat(base); err != nil {
			base = os.TempDir()
		}
	}
	dir, err = os.MkdirTemp(base, "holdfast-reliability-")
	return dir, func() { os.RemoveAll(dir) }, err
}

// Chosen returns which of n things a plan looks at, in an order that its seed decides:
// all of them, or as many as it has rounds.
func (p Plan) Chosen(n int) []int {
	order := rand.New(rand.NewPCG(uint64(p.Seed), uint64(n))).Perm(n)
	if p.Rounds > 0 && p.Rounds < n {
		order = order[:p.Rounds]
	}
	return order
}

// Each calls do for 0 to n-1, some at once, until the plan's time is over or ctx is
// done. Worker tells those apart that run at the same time.
func (p Plan) Each(ctx context.Context, n int, do func(ctx context.Context, worker, i int)) {
	if p.For > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, p.For)
		defer stop()
	}
	next := make(chan int)
	var wg sync.WaitGroup
	for worker := range max(1, p.Jobs) {
		wg.Go(func() {
			for i := range next {
				do(context.WithoutCancel(ctx), worker, i)
			}
		})
	}
	for i := 0; i < n && ctx.Err() == nil; i++ {
		next <- i
	}
	close(next)
	wg.Wait()
}

// Patience is how long anything may take before it counts as hanging.
const Patience = 60 * time.Second
