package admin

import (
	"bytes"
	"context"
	"iter"
	"maps"
	"slices"
	"time"

	"holdfast/lease"
	"holdfast/ownership"
)

// Change is a session whose state or record became another.
type Change struct {
	// At is when it was seen or, in the first look, when the session's files were last
	// changed. A watch that goes on from there misses nothing; see [Watching].
	At            ownership.Timestamp `json:"at"`
	Key           *string             `json:"key"`
	KeyDigest     ownership.Digest    `json:"keyDigest"`
	State         ownership.State     `json:"state"`
	PreviousState *ownership.State    `json:"previousState"` // nil in the first look
	Revision      *ownership.Revision `json:"revision"`
}

// Watching is how a watch goes about it.
type Watching struct {
	// Every is how often it looks at everything where it cannot be told of changes;
	// where it can, it looks [slower] times less often.
	Every time.Duration
	// Since is the At of the last change that was seen: the first look leaves out idle
	// sessions whose files were last changed before it. Whatever was not told by then is
	// told, and what changed shortly before it is told once more. Zero: everything is
	// told. A clock that was set back in between can hide a change.
	Since time.Time
}

// slower is how much a watch that is told of changes looks less often by itself: a
// lock that a killed owner frees changes no file.
const slower = 8

// Watch yields the present state of every session that is not vacant, and then each
// change, as the file system tells of it or a look at everything shows it; what came
// and went in between is seen only by its revision. The first look comes in the order of
// time, sessions that changed together in that of their digests. An error comes with a change that
// has only a digest, or not even that, and not again while it stays the same. It ends
// when ctx does.
func Watch(ctx context.Context, s lease.Store, o Watching) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		n := listen(s)
		defer n.close()
		w := watcher{ctx: ctx, store: s, since: goOnFrom(o.Since, time.Now()), yield: yield, seen: map[ownership.Digest]sight{}}
		for n.cover(ctx); w.look(); n.cover(ctx) {
			if !w.until(time.Now().Add(n.interval(o.Every)), n) {
				return
			}
		}
	}
}

// until follows notices up to the next look at everything, and reports whether to go
// on.
func (w *watcher) until(next time.Time, n *notices) bool {
	timer := time.NewTimer(time.Until(next))
	defer timer.Stop()
	for {
		select {
		case <-w.ctx.Done():
			return false
		case <-timer.C:
			return true
		case d, ok := <-n.told:
			if !ok {
				n.told, n.whole = nil, false
				return w.ctx.Err() == nil // what changed meanwhile is found by a look at everything
			}
			if !w.lookAt(d) {
				return false
			}
		case <-n.errors(): // some were lost, and none would come while this waits to be heard
			return true
		case event := <-n.events():
			for _, d := range inOrder(n.gather(event)) {
				if !w.lookAt(d) {
					return false
				}
			}
		}
	}
}

func inOrder(about map[ownership.Digest]bool) []ownership.Digest {
	return slices.SortedFunc(maps.Keys(about), func(a, b ownership.Digest) int { return bytes.Compare(a[:], b[:]) })
}

// watcher remembers the latest sight of every session.
type watcher struct {
	ctx    context.Context
	store  lease.Store
	since  time.Time
	yield  func(Change, error) bool
	seen   map[ownership.Digest]sight
	looked time.Time // when the latest look at everything that was finished had begun
}

// sight is what a change is told by.
type sight struct {
	state    ownership.State
	revision ownership.Revision
	fault    string // why it could not be inspected
}

// look yields what changed since the last look, and reports whether to go on.
func (w *watcher) look() bool {
	began := time.Now()
	if w.looked.IsZero() {
		if !w.firstLook(began) {
			return false
		}
	} else {
		for found := range survey(w.ctx, w.store) {
			if !w.news(found) {
				return false
			}
		}
	}
	w.looked = began
	return w.ctx.Err() == nil
}

// lookAt looks at one session of which there was a notice.
func (w *watcher) lookAt(d ownership.Digest) bool {
	i, err := lease.Inspect(w.ctx, w.store, d)
	i.KeyDigest = d
	return w.news(surveyed{Inspection: i, err: err})
}

func (w *watcher) news(found surveyed) bool {
	switch {
	case w.ctx.Err() != nil:
		return false // what could not be asked any more is no news
	case !w.changed(found):
		return true
	}
	return w.tell(found, w.now())
}

func sightOf(found surveyed) sight {
	if found.err != nil {
		return sight{fault: found.err.Error()}
	}
	return sight{state: found.State, revision: found.Stored.Revision}
}

// changed counts a session that was never seen as vacant.
func (w *watcher) changed(found surveyed) bool {
	was, known := w.seen[found.KeyDigest]
	if !known {
		was = sight{state: ownership.StateVacant}
	}
	return sightOf(found) != was
}

// tell yields the change. A session that could not be inspected keeps the state that
// it was last seen in.
func (w *watcher) tell(found surveyed, at time.Time) bool {
	was := w.seen[found.KeyDigest]
	now := sightOf(found)
	c := Change{At: ownership.At(at), KeyDigest: found.KeyDigest}
	if found.err != nil {
		w.seen[found.KeyDigest] = sight{was.state, was.revision, now.fault}
		return w.yield(c, found.err)
	}
	w.seen[found.KeyDigest] = now
	c.Key, c.State, c.Revision, c.PreviousState = found.Key, found.State, found.Revision, w.previous(was)
	return w.yield(c, nil)
}

func (w *watcher) previous(was sight) *ownership.State {
	switch {
	case was.state != "":
		return &was.state
	case !w.looked.IsZero():
		return new(ownership.StateVacant)
	default:
		return nil
	}
}
