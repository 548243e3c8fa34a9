package journal

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io/fs"

	"go.etcd.io/bbolt"

	"holdfast/ownership"
)

// Batch is what one transaction appends.
type Batch struct {
	Records []Record // of each session, oldest first
	Strays  []Record
	Events  []Event
	notes   []note
}

// Empty reports whether there is nothing in it.
func (b Batch) Empty() bool { return len(b.Records)+len(b.Strays)+len(b.Events)+len(b.notes) == 0 }

// join adds what another one brings.
func (b *Batch) join(o Batch) {
	b.Records = append(b.Records, o.Records...)
	b.Strays = append(b.Strays, o.Strays...)
	b.Events = append(b.Events, o.Events...)
	b.notes = append(b.notes, o.notes...)
}

// Append makes a batch durable in one transaction, and creates the journal for it as
// needed. What is there already stays in its place and is written once more: an
// earlier transaction may have ended before it was durable. An error means that the
// batch may or may not be there, and that nothing may rely on it; appending it again
// is safe. Batches that several goroutines append at the same time share a transaction;
// where that meets damage, each has its own.
func (j *Journal) Append(ctx context.Context, b Batch) error {
	if b.Empty() {
		return nil
	}
	return j.post(&posting{ctx: ctx, batch: b})
}

func (j *Journal) appendNow(ctx context.Context, b Batch) error {
	if b.Empty() {
		return nil
	}
	err := j.append(ctx, b)
	switch {
	case notWritable(err) && j.areThere(ctx, b):
		return nil
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := j.create(ctx); err != nil {
		return j.failed(writing, err)
	}
	return j.append(ctx, b)
}

func (j *Journal) append(ctx context.Context, b Batch) error {
	return j.use(ctx, writing, func(db *bbolt.DB) error {
		w := &writer{places: map[place]*placed{}}
		err := db.Update(func(tx *bbolt.Tx) error { return w.write(tx, b) })
		if err != nil {
			return unlessNothing(err)
		}
		return db.View(w.verify)
	})
}

// errNothing ends a transaction that would change nothing, and for which the file stays
// as it is.
var errNothing = errors.New("it is all there")

func unlessNothing(err error) error {
	if errors.Is(err, errNothing) {
		return nil
	}
	return err
}

// writer is one transaction.
type writer struct {
	records, strays, events, times *bbolt.Bucket
	places                         map[place]*placed
	written                        []written
}

// place is one generation of one session.
type place struct {
	digest     ownership.Digest
	generation ownership.Generation
}

// placed is what the journal has of a generation.
type placed struct {
	sequence map[ownership.Revision]uint64
	follows  map[ownership.Revision]ownership.Revision // by predecessor
	next     uint64
}

// written is an entry to be read back.
type written struct{ bucket, key, value []byte }

func (w *writer) write(tx *bbolt.Tx, b Batch) error {
	if err := w.open(tx); err != nil {
		return err
	}
	for _, r := range b.Records {
		if err := w.add(r); err != nil {
			return err
		}
	}
	for _, r := range b.Strays {
		if err := w.addStray(r); err != nil {
			return err
		}
	}
	for _, e := range b.Events {
		if err := w.addEvent(e); err != nil {
			return err
		}
	}
	for _, n := range b.notes {
		if err := w.addNote(n); err != nil {
			return err
		}
	}
	if len(w.written) == 0 {
		return errNothing
	}
	return nil
}

func (w *writer) open(tx *bbolt.Tx) error {
	w.records, w.strays = tx.Bucket(recordsBucket), tx.Bucket(straysBucket)
	w.events, w.times = tx.Bucket(eventsBucket), tx.Bucket(timesBucket)
	if w.records == nil || w.strays == nil || w.events == nil || w.times == nil {
		return damaged("it is a database of something else")
	}
	// Both grow at their ends most of the time: half-full pages would double the file.
	w.records.FillPercent, w.times.FillPercent = filled, filled
	return nil
}

// filled is how full a page is left when it is split.
const filled = 0.9

// add gives a record its place. One that is there keeps its place and its time.
func (w *writer) add(r Record) error {
	at, err := w.placed(place{r.Digest, r.Generation})
	if err != nil {
		return err
	}
	sequence, known := at.sequence[r.Revision]
	if !known {
		stray, err := w.isStray(r)
		if err != nil {
			return err
		}
		if stray {
			return w.addStray(r)
		}
		sequence = at.next
		at.add(r.Revision, r.Previous, sequence)
	}
	key := placeOf(r.Digest, r.Generation, sequence)
	if old := w.records.Get(key); known && len(old) >= headerSize {
		r.At = instantOf(old)
	}
	return w.put(r, key)
}

func (w *writer) put(r Record, key []byte) error {
	if err := w.set(w.records, recordsBucket, key, r.value()); err != nil {
		return err
	}
	return w.set(w.times, timesBucket, join(instant(r.At), []byte{recordTime}, key), nil)
}

func (w *writer) set(b *bbolt.Bucket, name, key, value []byte) error {
	w.written = append(w.written, written{name, key, value})
	return b.Put(key, value)
}

// isStray reports whether a record that no chain leads to has a sibling: of two
// records with one predecessor only one was in force, and that one is here.
func (w *writer) isStray(r Record) (bool, error) {
	if !r.Loose {
		return false, nil
	}
	for _, g := range []ownership.Generation{r.Generation - 1, r.Generation, r.Generation + 1} {
		at, err := w.placed(place{r.Digest, g})
		if err != nil {
			return false, err
		}
		if other, ok := at.follows[r.Previous]; ok && other != r.Revision {
			return true, nil
		}
	}
	return false, nil
}

// placed looks at a generation once per transaction.
func (w *writer) placed(p place) (*placed, error) {
	if at, ok := w.places[p]; ok {
		return at, nil
	}
	at := &placed{sequence: map[ownership.Revision]uint64{}, follows: map[ownership.Revision]ownership.Revision{}}
	prefix := join(p.digest[:], number(uint64(p.generation)))
	c := w.records.Cursor()
	for k, v := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, v = c.Next() {
		if len(k) != recordKey || len(v) < headerSize {
			return nil, damaged("an entry of %d and %d bytes is no record", len(k), len(v))
		}
		at.add(revisionIn(v), previousIn(v), binary.BigEndian.Uint64(k[len(prefix):]))
	}
	w.places[p] = at
	return at, nil
}

func (at *placed) add(r, previous ownership.Revision, sequence uint64) {
	at.sequence[r] = sequence
	at.follows[previous] = r
	at.next = sequence + 1
}

func (w *writer) addStray(r Record) error {
	key := join(r.Digest[:], number(uint64(r.Generation)), r.Revision[:])
	return w.set(w.strays, straysBucket, key, r.value())
}

func (w *writer) addEvent(e Event) error {
	prefix, value, err := e.encode()
	if err != nil {
		return err
	}
	key, _ := eventKey(w.events, prefix, value)
	return w.putEvent(note{e.At, prefix, value}, key)
}

func (w *writer) putEvent(n note, key []byte) error {
	if err := w.set(w.events, eventsBucket, key, n.value); err != nil {
		return err
	}
	return w.set(w.times, timesBucket, join(instant(n.at), []byte{eventTime}, key), nil)
}

// verify reads back what was committed: a file whose inner pages are damaged can take
// a transaction and not give it back.
func (w *writer) verify(tx *bbolt.Tx) error {
	for _, e := range w.written {
		b := tx.Bucket(e.bucket)
		if b == nil || !bytes.Equal(b.Get(e.key), e.value) {
			return damaged("what was just written cannot be read back")
		}
	}
	return nil
}
