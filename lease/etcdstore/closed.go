package etcdstore

import (
	"context"
	"errors"
	"slices"
	"time"
)

// knockAfter is how long an answer may take before it is looked into why, and between two
// such looks.
const knockAfter = 250 * time.Millisecond

var errClosedDoors = errors.New("none of its addresses takes a connection that can be used")

// unlessClosed calls off what is asked as soon as no server can be talked to, for a reason
// that waiting does not change: found twice, since a server may just be starting. A server
// that takes connections and says nothing, or has no leader, is waited for. Whoever has
// the answer stops it.
func (c Config) unlessClosed(ctx context.Context) (asking context.Context, stop func()) {
	asking, cancel := context.WithCancelCause(ctx)
	look := time.AfterFunc(knockAfter, func() {
		if c.isClosed() && asking.Err() == nil {
			sleep(asking, knockAfter)
			if asking.Err() == nil && c.isClosed() {
				cancel(errClosedDoors)
			}
		}
	})
	return asking, func() {
		look.Stop()
		cancel(nil)
	}
}

func (c Config) isClosed() bool {
	return !slices.ContainsFunc(c.knocks(), func(k knock) bool { return !k.final })
}

// calledOff is errClosedDoors in the place of the end of a context that it ended.
func calledOff(asking context.Context, err error) error {
	if err != nil && context.Cause(asking) == errClosedDoors {
		return errClosedDoors
	}
	return err
}
