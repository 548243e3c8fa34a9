package journal

import (
	"context"
	"sync"

	"go.etcd.io/bbolt"
)

// desk collects what goroutines of this process note in one journal at the same time:
// they wait for the disk together. Each is answered once its own event is durable.
type desk struct {
	mu      sync.Mutex
	waiting []*noting
	busy    bool
}

var desks sync.Map // of *desk, by the journal's path

type noting struct {
	ctx    context.Context
	event  Event
	answer chan error
}

// Note makes an event durable. One that is there already is left alone: unlike a record
// it is not the only copy of what it says.
func (j *Journal) Note(ctx context.Context, e Event) error {
	if _, _, err := e.encode(); err != nil {
		return err
	}
	found, _ := desks.LoadOrStore(j.path, &desk{})
	n := &noting{ctx, e, make(chan error, 1)}
	found.(*desk).add(j, n)
	return <-n.answer
}

func (d *desk) add(j *Journal, n *noting) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.waiting = append(d.waiting, n)
	if !d.busy {
		d.busy = true
		go d.serve(j)
	}
}

// serve notes what has come together, again and again, until there is nothing left.
func (d *desk) serve(j *Journal) {
	for {
		d.mu.Lock()
		all := d.waiting
		d.waiting = nil
		d.busy = len(all) > 0
		d.mu.Unlock()
		if len(all) == 0 {
			return
		}
		err := j.noteAll(all)
		for _, n := range all {
			n.answer <- err
		}
	}
}

// noteAll appends what is not there yet, in one transaction. One caller that goes away
// does not take the others' answers with it.
func (j *Journal) noteAll(all []*noting) error {
	ctx := all[0].ctx
	if len(all) > 1 {
		ctx = context.WithoutCancel(ctx)
	}
	fresh := eventsOf(all) // where there is no journal yet, nobody is asked
	err := j.view(ctx, func(tx *bbolt.Tx) (err error) {
		fresh, err = unknownIn(tx, all)
		return err
	})
	if err != nil {
		return err
	}
	return j.Append(ctx, Batch{Events: fresh})
}

func eventsOf(all []*noting) []Event {
	events := make([]Event, len(all))
	for i, n := range all {
		events[i] = n.event
	}
	return events
}

func unknownIn(tx *bbolt.Tx, all []*noting) (fresh []Event, err error) {
	b := tx.Bucket(eventsBucket)
	for _, n := range all {
		prefix, value, err := n.event.encode()
		if err != nil {
			return nil, err
		}
		if b != nil {
			if _, there := eventKey(b, prefix, value); there {
				continue
			}
		}
		fresh = append(fresh, n.event)
	}
	return fresh, nil
}
