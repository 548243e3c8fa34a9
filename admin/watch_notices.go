package admin

import (
	"context"
	"time"

	"github.com/fsnotify/fsnotify"

	"holdfast/lease"
	"holdfast/ownership"
)

// watchable is a store whose sessions are directories of a file system that can tell
// of changes.
type watchable interface {
	lease.Store
	SessionsPath() string
	SessionPath(ownership.Digest) string
	Concerns(path string) (ownership.Digest, bool)
	ChangedAt(context.Context, ownership.Digest) (time.Time, error)
}

// notices are what the file system tells of a store's sessions. They are a reason to
// look, never what was seen.
type notices struct {
	store   watchable
	fs      *fsnotify.Watcher // nil where there are none
	covered map[ownership.Digest]bool
	whole   bool                    // every session is covered
	told    <-chan ownership.Digest // by a store that tells of changes itself; nil: none
	teller  lease.Notifier
	stop    context.CancelFunc // of told
}

// listen is not an error where the system has no notices to give: the watch looks more
// often then.
func listen(s lease.Store) *notices {
	n := &notices{covered: map[ownership.Digest]bool{}}
	store, ok := s.(watchable)
	if !ok {
		n.teller, _ = s.(lease.Notifier)
		return n
	}
	if fs, err := fsnotify.NewBufferedWatcher(1024); err == nil {
		n.store, n.fs = store, fs
	}
	return n
}

func (n *notices) close() {
	if n.stop != nil {
		n.stop()
	}
	if n.fs != nil {
		_ = n.fs.Close() // nothing was written
	}
}

// cover asks for notices of every session that has none yet, and of new ones. It comes
// before a look, so that what changes after the look is told.
func (n *notices) cover(ctx context.Context) {
	if n.teller != nil && n.told == nil {
		n.close()
		telling, stop := context.WithCancel(ctx)
		told, err := n.teller.Changes(telling, nil)
		n.told, n.whole, n.stop = told, err == nil, stop
	}
	if n.fs == nil {
		return
	}
	n.whole = n.fs.Add(n.store.SessionsPath()) == nil
	for d, err := range n.store.List(ctx) {
		if err != nil || !n.coverOne(d) {
			n.whole = false
			return // the system has a limit, or there is no such store
		}
	}
}

func (n *notices) coverOne(d ownership.Digest) bool {
	if !n.covered[d] {
		n.covered[d] = n.fs.Add(n.store.SessionPath(d)) == nil
	}
	return n.covered[d]
}

// interval is how long to wait for the next look at everything.
func (n *notices) interval(every time.Duration) time.Duration {
	if n.whole {
		return slower * every
	}
	return every
}

func (n *notices) events() <-chan fsnotify.Event {
	if n.fs == nil {
		return nil
	}
	return n.fs.Events
}

func (n *notices) errors() <-chan error {
	if n.fs == nil {
		return nil
	}
	return n.fs.Errors
}

// settling is how long notices are gathered: one publish gives several.
const settling = 5 * time.Millisecond

// gather returns the sessions that the notices of a moment are about.
func (n *notices) gather(first fsnotify.Event) map[ownership.Digest]bool {
	about := map[ownership.Digest]bool{}
	n.add(about, first)
	end := time.After(settling)
	for {
		select {
		case event := <-n.fs.Events:
			n.add(about, event)
		case <-n.fs.Errors: // some were lost: the next look at everything makes up for it
			n.whole = false
		case <-end:
			return about
		}
	}
}

func (n *notices) add(about map[ownership.Digest]bool, event fsnotify.Event) {
	d, ok := n.store.Concerns(event.Name)
	if !ok {
		return
	}
	about[d] = true
	if event.Name != n.store.SessionPath(d) {
		return
	}
	if event.Has(fsnotify.Remove) {
		delete(n.covered, d)
	} else {
		n.coverOne(d)
	}
}
