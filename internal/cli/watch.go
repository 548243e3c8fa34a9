package cli

import (
	"context"
	"slices"
	"time"

	"holdfast/admin"
	"holdfast/lease"
	"holdfast/ownership"
)

// watchEvery is how often a watch looks where nothing tells it of changes: people do
// not see less.
const watchEvery = 250 * time.Millisecond

// watch shows each change until it is interrupted or nobody reads any more.
func (v *invocation) watch(ctx context.Context, s lease.Store, states []ownership.State, since time.Time) error {
	for change, err := range admin.Watch(ctx, s, admin.Watching{Every: watchEvery, Since: since}) {
		switch {
		case err != nil && v.json:
			v.failedRow(change.Key, change.KeyDigest, err)
		case err != nil:
			v.remark("%s: %v", rowTitle(change.Key, change.KeyDigest), err)
		case !concerns(change, states) && !mayHaveLeft(change, since):
		case v.json:
			v.row(change)
		default:
			v.stdout.show(v.page(&v.stdout), func(p *page) { p.change(change) })
		}
		if v.stdout.fault != nil {
			return nil
		}
	}
	return nil
}

// concerns reports whether a change is to or from one of the states, or all are shown.
func concerns(c admin.Change, states []ownership.State) bool {
	return len(states) == 0 || slices.Contains(states, c.State) ||
		c.PreviousState != nil && slices.Contains(states, *c.PreviousState)
}

// mayHaveLeft reports whether a session that changed since may have been in one of the
// states that are asked for when it was last told of.
func mayHaveLeft(c admin.Change, since time.Time) bool {
	return c.PreviousState == nil && !since.IsZero()
}
