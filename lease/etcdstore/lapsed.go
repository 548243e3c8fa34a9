package etcdstore

import (
	"context"

	"holdfast/ownership"
)

// lapsed says when the life key went, as far as the cluster still knows.
func (p *prober) lapsed(ctx context.Context) {
	p.add(lifeProbe, ownership.Absent, "the life key of generation %d is gone: its owner gave it up, or could not reach the cluster for too long", p.record.Generation)
}
