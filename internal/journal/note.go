package journal

import (
	"context"

	"go.etcd.io/bbolt"
)

// Note makes an event durable. One that is there already is left alone: unlike a record
// it is not the only copy of what it says.
func (j *Journal) Note(ctx context.Context, e Event) error {
	if _, _, err := e.encode(); err != nil {
		return err
	}
	return j.post(&posting{ctx: ctx, batch: Batch{Events: []Event{e}}, once: true})
}

// unknown leaves out the events that are there.
func (j *Journal) unknown(ctx context.Context, events []Event) ([]Event, error) {
	fresh := events // where there is no journal yet, nobody is asked
	err := j.view(ctx, func(tx *bbolt.Tx) (err error) {
		fresh, err = unknownIn(tx, events)
		return err
	})
	return fresh, err
}

func unknownIn(tx *bbolt.Tx, events []Event) (fresh []Event, err error) {
	b := tx.Bucket(eventsBucket)
	for _, e := range events {
		prefix, value, err := e.encode()
		if err != nil {
			return nil, err
		}
		if b != nil {
			if _, there := eventKey(b, prefix, value); there {
				continue
			}
		}
		fresh = append(fresh, e)
	}
	return fresh, nil
}
