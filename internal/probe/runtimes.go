package probe

import (
	"context"
	"sync"

	"holdfast/internal/tmux"
	"holdfast/ownership"
)

// Runtimes asks about many runtimes at the price of one: tmux is asked at most once for
// all of its sessions, when the first of them is asked for. What it says is of that
// moment. Its zero value is ready, and it can be shared.
type Runtimes struct {
	once   sync.Once
	census tmux.Census
}

// Ask is [Runtime], of the moment of the first question.
func (r *Runtimes) Ask(ctx context.Context, which ownership.Runtime) (alive bool, detail string, err error) {
	if which.Kind != KindTmux {
		return Runtime(ctx, which)
	}
	r.once.Do(func() { r.census = tmux.TakeCensus(ctx) })
	answer, socket, err := r.census.Ask(which.Handle)
	return tmuxSays(which.Handle, answer, socket, err)
}
