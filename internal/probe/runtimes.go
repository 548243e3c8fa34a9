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

// Ask is [RuntimeOf], of the moment of the first question.
func (r *Runtimes) Ask(ctx context.Context, which ownership.Record) (alive bool, detail string, err error) {
	if rt := which.Session.Runtime; rt == nil || rt.Kind != KindTmux {
		return RuntimeOf(ctx, which)
	}
	r.once.Do(func() { r.census = tmux.TakeCensus(ctx) })
	name := which.Session.Runtime.Handle
	answer, socket, err := r.census.Ask(name)
	return tmuxSays(name, answer, socket, err)
}
