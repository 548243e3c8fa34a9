package admin

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"holdfast/lease"
	"holdfast/ownership"
)

// A watch may end at any moment, with changes that it has not told yet, and another one
// goes on from the latest time that it told. So no time that is told lies further than
// ahead behind the beginning of a look at everything that was finished: what changed
// before that look has been told. Who goes on steps back further than that, by more than
// the clock of files lags behind.
const (
	ahead    = 4 * time.Second
	stepBack = 5 * time.Second
)

// goOnFrom returns the time before which a change was certainly told to whoever has seen
// one of the time since; zero where that cannot be known.
func goOnFrom(since, now time.Time) time.Time {
	if since.IsZero() || since.Add(-stepBack).After(now) {
		return time.Time{} // the clock went back
	}
	return since.Add(-stepBack)
}

// now is the time of a change that is told now.
func (w *watcher) now() time.Time { return earlierOf(time.Now(), w.looked.Add(ahead)) }

func earlierOf(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// first is a session in the first look.
type first struct {
	surveyed
	at   time.Time
	asOf bool // at is when its files were last changed
}

// firstLook tells in the order of time, so that what is not told yet when the watch ends
// is younger than what is, or told whenever a watch begins.
func (w *watcher) firstLook(began time.Time) bool {
	var all []first
	for found := range survey(w.ctx, w.store) {
		if w.ctx.Err() != nil {
			return false
		}
		f := w.dated(found, began)
		if f.isBefore(w.since) {
			w.seen[found.KeyDigest] = sightOf(found)
		} else if w.changed(found) {
			all = append(all, f)
		}
	}
	slices.SortStableFunc(all, byAge)
	for _, f := range all {
		if !w.tell(f.surveyed, f.at) {
			return false
		}
	}
	return true
}

func (w *watcher) dated(found surveyed, began time.Time) first {
	found.Inspection = lease.Inspection{KeyDigest: found.KeyDigest, Key: found.Key, State: found.State, Revision: found.Revision, Stored: lease.Stored{Revision: found.Stored.Revision}}
	f := first{found, began, false}
	s, ok := w.store.(watchable)
	if !ok || found.err != nil {
		return f
	}
	if changed, err := s.ChangedAt(w.ctx, found.KeyDigest); err == nil && !changed.IsZero() {
		f.at, f.asOf = earlierOf(changed, began), true
	}
	return f
}

// isBefore reports whether a session was certainly told as it is to whoever has seen a
// change of a time: nothing of it changed since, and its state is none that comes and
// goes without a change of files.
func (f first) isBefore(since time.Time) bool {
	return f.asOf && f.State == ownership.StateIdle && f.at.Before(since)
}

func byAge(a, b first) int {
	return cmp.Or(a.at.Compare(b.at), bytes.Compare(a.KeyDigest[:], b.KeyDigest[:]))
}
