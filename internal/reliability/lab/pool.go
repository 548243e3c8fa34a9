package lab

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"slices"
	"strings"
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

// Chosen returns which of some things a plan looks at, in an order that its seed and their
// names decide: all of them, or as many as it has rounds. A few more or less of them, as
// when there are other processes to look at, change nothing for the rest.
func (p Plan) Chosen(names []string) []int {
	rank := make([]uint64, len(names))
	var order []int
	for i, name := range names {
		h := fnv.New64a()
		fmt.Fprint(h, p.Seed, " ", name)
		rank[i] = h.Sum64()
		if p.isAt(name) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rank[a], rank[b]) })
	if p.Rounds > 0 && p.Rounds < len(order) {
		order = order[:p.Rounds]
	}
	return order
}

// isAt reports whether a thing is what the plan is restricted to, or a part of it, or the
// whole of which that is a part.
func (p Plan) isAt(name string) bool {
	return strings.HasPrefix(name, p.At) || strings.HasPrefix(p.At, name)
}

// NamesOf are the names of things.
func NamesOf[T fmt.Stringer](things []T) []string {
	names := make([]string, len(things))
	for i, t := range things {
		names[i] = t.String()
	}
	return names
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
