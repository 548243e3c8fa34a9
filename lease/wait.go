package lease

import (
	"context"
	"errors"
	"time"

	"holdfast/ownership"
)

// waitInterval is how often a wait looks again where a store has no notices to give: at
// most 100 ms late. Where it has, a look without one is for what no notice tells of.
const (
	waitInterval    = 50 * time.Millisecond
	noticedInterval = 5 * time.Second
)

// errDeadline ends a pause that would go past the end of the wait.
var errDeadline = errors.New("end of the wait")

// waiting is one wait for a session that is held.
type waiting struct {
	store    Store
	digest   ownership.Digest
	deadline time.Time
	begun    bool
	notices  <-chan ownership.Digest // nil: there are none
}

// next returns when it is time to look again, or why there is no next time. The first
// time it asks for notices, and has the session looked at once more at once: what changed
// before they came was told by none.
func (w *waiting) next(ctx context.Context) error {
	if !w.begun {
		w.begun = true
		if w.listen(ctx) {
			return nil
		}
	}
	left := time.Until(w.deadline)
	if left <= 0 {
		return errDeadline
	}
	t := time.NewTimer(min(left, w.interval()))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case _, ok := <-w.notices:
		if !ok {
			w.begun, w.notices = false, nil
			return pause(ctx)
		}
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// pause keeps a store whose notices break off from being asked again at once.
func pause(ctx context.Context) error {
	t := time.NewTimer(waitInterval)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (w *waiting) listen(ctx context.Context) bool {
	s, ok := w.store.(Notifier)
	if !ok {
		return false
	}
	notices, err := s.Changes(ctx, &w.digest)
	if err != nil {
		return false // then the wait looks by itself
	}
	w.notices = notices
	return true
}

func (w *waiting) interval() time.Duration {
	if w.notices == nil {
		return waitInterval
	}
	return noticedInterval
}

// outlasts reports whether a failure in the middle of a wait ends by itself, as an outage
// of a cluster does. The first failure decides: what a publish had no answer to is not
// tried again (I9).
func (w *waiting) outlasts(err error) bool {
	var first *StoreError
	_, remote := w.store.(Notifier)
	return remote && errors.As(err, &first) && first.Kind == ErrStoreUnavailable
}

func isHeld(err error) bool {
	r := refusalIn(err)
	return r != nil && r.Reason == ownership.ReasonActiveOwner
}

func refusalIn(err error) (r *Refusal) {
	errors.As(err, &r)
	return r
}

// waitEnd is why a wait ended, the last time it had looked with err.
func waitEnd(end, err error) error {
	switch {
	case !errors.Is(end, errDeadline):
		return end
	case isHeld(err):
		return &WaitError{refusalIn(err)}
	}
	return err
}
