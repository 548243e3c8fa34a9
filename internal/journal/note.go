package journal

import (
	"context"
	"errors"
	"io/fs"

	"go.etcd.io/bbolt"
	"golang.org/x/sys/unix"

	"holdfast/ownership"
)

// note is an event on its way that is left out where it is there.
type note struct {
	at            ownership.Timestamp
	prefix, value []byte
}

// Note makes an event durable. One that is there already is left alone: unlike a record
// it is not the only copy of what it says.
func (j *Journal) Note(ctx context.Context, e Event) error {
	prefix, value, err := e.encode()
	if err != nil {
		return err
	}
	return j.post(&posting{ctx: ctx, batch: Batch{notes: []note{{e.At, prefix, value}}}})
}

// areThere reports whether a batch has nothing but notes that are there.
func (j *Journal) areThere(ctx context.Context, b Batch) (all bool) {
	err := j.view(ctx, func(tx *bbolt.Tx) error {
		events := tx.Bucket(eventsBucket)
		all = events != nil && len(b.Records)+len(b.Strays)+len(b.Events) == 0
		for _, n := range b.notes {
			if all {
				_, all = eventKey(events, n.prefix, n.value)
			}
		}
		return nil
	})
	return all && err == nil
}

// notWritable reports whether a journal can be read at most.
func notWritable(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, unix.EROFS)
}

// addNote adds a note unless it is there.
func (w *writer) addNote(n note) error {
	key, there := eventKey(w.events, n.prefix, n.value)
	if there {
		return nil
	}
	return w.putEvent(n, key)
}
