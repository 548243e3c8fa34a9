package sqlitecopy

import (
	"context"
	"os"
)

// sides copies the database from f, then its log and its journal.
func (c *capture) sides(ctx context.Context, f *os.File) error {
	c.raw.read = 0
	if err := c.raw.take(ctx, db, f); err != nil {
		return err
	}
	if err := c.log(ctx); err != nil {
		return err
	}
	return c.journal(ctx)
}

// openSide returns nil for an absent file.
func (c *capture) openSide(s side) (*os.File, error) {
	path := s.of(c.path)
	seen, err := lstat(path)
	if err != nil || seen.absent() {
		return nil, err
	}
	return openSource(path, seen)
}

// log copies the log until it is one: while the lock keeps new frames out of the database, a log that was there whole
// already can still be begun again from its start, once. Frames of before and after do not belong together, and the
// header, which changes first, tells them apart.
func (c *capture) log(ctx context.Context) error {
	f, err := c.openSide(wal)
	if err != nil {
		return err
	}
	if f == nil {
		return c.raw.drop(wal)
	}
	defer f.Close()
	for range quietTries {
		before, err := readHeader(f)
		if err != nil {
			return err
		}
		if err := c.raw.take(ctx, wal, f); err != nil {
			return err
		}
		if after, err := readHeader(f); err != nil || before == after {
			return err
		}
	}
	return errAgain
}

func (c *capture) journal(ctx context.Context) error {
	c.super = nil
	f, err := c.openSide(journal)
	if err != nil {
		return err
	}
	if f == nil {
		return c.raw.drop(journal)
	}
	defer f.Close()
	if err := c.raw.take(ctx, journal, f); err != nil {
		return err
	}
	c.super, err = readSuperJournal(c.raw.files[journal])
	return target(c.raw.path(journal), err)
}
