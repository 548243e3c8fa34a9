package journal

import (
	"bytes"
	"context"
	"errors"

	"go.etcd.io/bbolt"

	"holdfast/ownership"
)

// Census is what a check counted.
type Census struct {
	Sessions, Records, Strays, Events int
	Highest                           map[ownership.Digest]ownership.Generation // of each session
}

// Check reads the whole journal: every page of the database, the bytes of each record
// against its revision, and the index of times. It holds the file's shared lock
// meanwhile.
func (j *Journal) Check(ctx context.Context) (Census, error) {
	c := Census{Highest: map[ownership.Digest]ownership.Generation{}}
	if err := j.checkPages(ctx); err != nil {
		return c, orEmpty(j.failed(reading, err))
	}
	return c, j.view(ctx, func(tx *bbolt.Tx) error { return c.count(ctx, tx) })
}

func (j *Journal) checkPages(ctx context.Context) error {
	f, err := j.openFile(reading)
	if err != nil {
		return err
	}
	err = j.lock(ctx, f, reading)
	if err == nil {
		err = plausible(f)
	}
	if err == nil {
		err = structure(ctx, f)
	}
	return errors.Join(err, f.Close())
}

func (c *Census) count(ctx context.Context, tx *bbolt.Tx) error {
	return errors.Join(
		each(ctx, tx, recordsBucket, c.countRecord),
		each(ctx, tx, straysBucket, func(k, v []byte) error {
			c.Strays++
			_, err := intact(k, v)
			return err
		}),
		each(ctx, tx, eventsBucket, func(_, v []byte) error {
			c.Events++
			_, err := parseEvent(v)
			return err
		}),
		each(ctx, tx, timesBucket, func(k, v []byte) error {
			_, err := itemOf(tx, k, v)
			return err
		}),
	)
}

func (c *Census) countRecord(k, v []byte) error {
	r, err := intact(k, v)
	if err != nil {
		return err
	}
	c.Records++
	if _, known := c.Highest[r.Digest]; !known {
		c.Sessions++
	}
	c.Highest[r.Digest] = max(c.Highest[r.Digest], r.Generation)
	return nil
}

// intact parses a record and compares its bytes with its revision.
func intact(k, v []byte) (Record, error) {
	r, err := parseRecord(k, v)
	if err == nil && ownership.RevisionOf(r.Bytes) != r.Revision {
		err = damaged("a record of session %s, generation %d, has other bytes than its revision", r.Digest, r.Generation)
	}
	return r, err
}

func each(ctx context.Context, tx *bbolt.Tx, bucket []byte, look func(k, v []byte) error) error {
	b := tx.Bucket(bucket)
	if b == nil {
		return damaged("it is a database of something else")
	}
	var last []byte
	return b.ForEach(func(k, v []byte) error {
		if last != nil && bytes.Compare(last, k) >= 0 {
			return damaged("the entries of %s are out of order", bucket)
		}
		last = append(last[:0], k...)
		if err := ctx.Err(); err != nil {
			return err
		}
		return look(k, v)
	})
}
