package journal

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"iter"

	"go.etcd.io/bbolt"

	"holdfast/ownership"
)

// A reader holds the file for one batch at a time, and no more than this in memory.
const (
	batchEntries = 512
	batchBytes   = 1 << 20
)

// The kinds of entries in the index of times.
const (
	eventTime  = 'e'
	recordTime = 'r'
)

// Records yields the records of a session, oldest first.
func (j *Journal) Records(ctx context.Context, d ownership.Digest) iter.Seq2[Record, error] {
	return scan(ctx, j, recordsBucket, d[:], d[:], func(_ *bbolt.Tx, k, v []byte) (Record, error) {
		return parseRecord(k, v)
	})
}

// Strays yields the records of a session that never came into force.
func (j *Journal) Strays(ctx context.Context, d ownership.Digest) iter.Seq2[Record, error] {
	return scan(ctx, j, straysBucket, d[:], d[:], func(_ *bbolt.Tx, k, v []byte) (Record, error) {
		return parseRecord(k, v)
	})
}

// Events yields what administrators did to a session, oldest first; with the zero
// digest, what they did to the whole store.
func (j *Journal) Events(ctx context.Context, d ownership.Digest) iter.Seq2[Event, error] {
	return scan(ctx, j, eventsBucket, d[:], d[:], func(_ *bbolt.Tx, _, v []byte) (Event, error) {
		return parseEvent(v)
	})
}

// Item is a record or an event.
type Item struct {
	Record *Record
	Event  *Event
}

// Since yields every record and event of the store from a time on, oldest first.
func (j *Journal) Since(ctx context.Context, at ownership.Timestamp) iter.Seq2[Item, error] {
	return scan(ctx, j, timesBucket, nil, instant(at), itemOf)
}

// itemOf follows an entry of the index of times.
func itemOf(tx *bbolt.Tx, k, _ []byte) (Item, error) {
	if len(k) < numberSize+1+recordKey {
		return Item{}, damaged("an entry of %d bytes is no time", len(k))
	}
	key := k[numberSize+1:]
	if k[numberSize] == eventTime {
		e, err := parseEvent(tx.Bucket(eventsBucket).Get(key))
		return Item{Event: &e}, err
	}
	r, err := parseRecord(key, tx.Bucket(recordsBucket).Get(key))
	return Item{Record: &r}, err
}

// scan yields the entries of a bucket whose keys have a prefix, in batches, from a key
// on. An error ends it.
func scan[T any](ctx context.Context, j *Journal, bucket, prefix, from []byte, parse func(tx *bbolt.Tx, k, v []byte) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for {
			var batch []T
			var last []byte
			err := j.use(ctx, reading, func(db *bbolt.DB) error {
				return db.View(func(tx *bbolt.Tx) (err error) {
					batch, last, err = readBatch(tx, bucket, prefix, from, parse)
					return err
				})
			})
			for _, item := range batch {
				if !yield(item, nil) {
					return
				}
			}
			if err := orEmpty(err); err != nil {
				var none T
				yield(none, err)
				return
			}
			if last == nil {
				return
			}
			from = append(last, 0) // the smallest key behind it
		}
	}
}

// readBatch returns entries from a key on, and the last key where there may be more.
func readBatch[T any](tx *bbolt.Tx, bucket, prefix, from []byte, parse func(tx *bbolt.Tx, k, v []byte) (T, error)) (batch []T, last []byte, err error) {
	b := tx.Bucket(bucket)
	if b == nil {
		return nil, nil, damaged("it is a database of something else")
	}
	c, size := b.Cursor(), 0
	for k, v := c.Seek(from); k != nil && bytes.HasPrefix(k, prefix); k, v = c.Next() {
		item, err := parse(tx, k, v)
		if err != nil {
			return batch, nil, err
		}
		batch = append(batch, item)
		if size += len(k) + len(v); len(batch) >= batchEntries || size >= batchBytes {
			return batch, bytes.Clone(k), nil
		}
	}
	return batch, nil, nil
}

// Find returns the record of a session with a revision and a generation, or false.
func (j *Journal) Find(ctx context.Context, d ownership.Digest, g ownership.Generation, r ownership.Revision) (found Record, ok bool, err error) {
	err = j.view(ctx, func(tx *bbolt.Tx) error {
		prefix := join(d[:], number(uint64(g)))
		c := tx.Bucket(recordsBucket).Cursor()
		for k, v := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, v = c.Next() {
			if len(v) < headerSize || revisionIn(v) != r {
				continue
			}
			found, err = parseRecord(k, v)
			ok = err == nil
			return err
		}
		return nil
	})
	return found, ok, err
}

// Knows reports whether the journal has a record of a session with that revision, of
// any generation.
func (j *Journal) Knows(ctx context.Context, d ownership.Digest, r ownership.Revision) (known bool, err error) {
	err = j.view(ctx, func(tx *bbolt.Tx) error {
		c := tx.Bucket(recordsBucket).Cursor()
		for k, v := c.Seek(d[:]); bytes.HasPrefix(k, d[:]) && !known; k, v = c.Next() {
			known = len(v) >= headerSize && revisionIn(v) == r
		}
		return nil
	})
	return known, err
}

// Highest returns the highest generation of a session in the journal, strays
// included; 0: none.
func (j *Journal) Highest(ctx context.Context, d ownership.Digest) (highest ownership.Generation, err error) {
	err = j.view(ctx, func(tx *bbolt.Tx) error {
		for _, name := range [][]byte{recordsBucket, straysBucket} {
			b := tx.Bucket(name)
			if b == nil {
				return damaged("it is a database of something else")
			}
			g, _, err := lastOf(b.Cursor(), d)
			if err != nil {
				return err
			}
			highest = max(highest, g)
		}
		return nil
	})
	return highest, err
}

// lastOf returns the highest generation of a session in a bucket, 0 for none, and
// leaves the cursor behind the session.
func lastOf(c *bbolt.Cursor, d ownership.Digest) (g ownership.Generation, next []byte, err error) {
	beyond := join(d[:], bytes.Repeat([]byte{0xff}, hashSize))
	next, _ = c.Seek(beyond)
	next = bytes.Clone(next)
	k, v := c.Prev()
	if next == nil {
		k, v = c.Last()
	}
	if !bytes.HasPrefix(k, d[:]) {
		return 0, next, nil
	}
	r, err := parseRecord(k, v)
	return r.Generation, next, err
}

func (j *Journal) view(ctx context.Context, look func(*bbolt.Tx) error) error {
	err := j.use(ctx, reading, func(db *bbolt.DB) error {
		return db.View(func(tx *bbolt.Tx) error {
			if tx.Bucket(recordsBucket) == nil {
				return damaged("it is a database of something else")
			}
			return look(tx)
		})
	})
	return orEmpty(err)
}

// Exists reports whether there is something in the journal's place, readable or not.
func (j *Journal) Exists() bool {
	f, err := j.openFile(reading)
	if err == nil {
		_ = f.Close() // nothing was written
	}
	return !errors.Is(err, fs.ErrNotExist)
}
