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

	turn sync.Mutex // held by whoever notes for all who wait
}

var desks sync.Map // of *desk, by the journal's path

type noting struct {
	ctx   context.Context
	event Event
	done  bool // with err: of whoever had the turn
	err   error
}

// Note makes an event durable. One that is there already is left alone: unlike a record
// it is not the only copy of what it says.
func (j *Journal) Note(ctx context.Context, e Event) error {
	if _, _, err := e.encode(); err != nil {
		return err
	}
	found, _ := desks.LoadOrStore(j.path, &desk{})
	n := &noting{ctx: ctx, event: e}
	found.(*desk).note(j, n)
	return n.err
}

// note waits for the turn, in which somebody else may have seen to it. Whoever notes does
// so itself, and starts no goroutine: what follows the calls of one thread sees them all.
func (d *desk) note(j *Journal, n *noting) {
	d.add(n)
	d.turn.Lock()
	defer d.turn.Unlock()
	if n.done {
		return
	}
	all := d.take()
	err := j.noteAll(all)
	for _, n := range all {
		n.done, n.err = true, err
	}
}

func (d *desk) add(n *noting) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.waiting = append(d.waiting, n)
}

func (d *desk) take() []*noting {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := d.waiting
	d.waiting = nil
	return all
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
