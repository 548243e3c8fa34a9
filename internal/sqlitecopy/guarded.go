package sqlitecopy

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// guarded copies under SQLite's locks. Where a writer never lets go of the exclusive one, all that is left is to see
// whether it rests.
func (c *capture) guarded(ctx context.Context, f *os.File) (Guard, error) {
	err := c.ask(ctx, f, lockShared)
	switch {
	case err == nil:
		defer shared.release(f)
		return c.underShared(ctx, f)
	case errors.Is(err, ErrUnsupported):
		c.notes = append(c.notes, fmt.Sprintf("no lock guarded the copy: %v", err))
	case !errors.Is(err, errRefused):
		return "", err
	}
	return Unmoved, c.still(ctx, f)
}

// underShared decides afresh what the source is, since nobody can change that from here on.
func (c *capture) underShared(ctx context.Context, f *os.File) (Guard, error) {
	now, err := lookAt(c.path)
	if err != nil {
		return "", err
	}
	h, err := readHeader(f)
	if err != nil {
		return "", err
	}
	c.kind = kindOf(h, now)
	switch {
	case c.kind == Rollback:
		return SharedLock, c.betweenCommits(ctx, f)
	case now[shm].absent():
		// A connection that opens meanwhile makes a -shm, and may then checkpoint at will.
		return Unmoved, c.still(ctx, f)
	}
	return LogLock, c.underLogLock(ctx, f)
}

// betweenCommits copies while no commit can change the database, and lets go in time for those that wait.
func (c *capture) betweenCommits(ctx context.Context, f *os.File) error {
	limited, cancel := context.WithTimeoutCause(ctx, c.longestUse, errAgain)
	defer cancel()
	err := c.pinned(ctx, f, func(look) error { return c.sides(limited, f) })
	if errors.Is(err, errAgain) {
		// Without a rest in which the lock is free, the next use of it adds to the time that a writer waits.
		shared.release(f)
		return errors.Join(err, pause(ctx, breather))
	}
	return err
}

// pinned copies while locks keep the database as it is, and makes sure that it did stay so, under its name.
func (c *capture) pinned(ctx context.Context, f *os.File, copySides func(look) error) error {
	locked, err := fstat(f)
	if err != nil {
		return err
	}
	before, err := lookAt(c.path)
	if err != nil {
		return err
	}
	if err := copySides(before); err != nil {
		return err
	}
	after, err := lookAt(c.path)
	if err != nil {
		return err
	}
	if !before[db].same(locked) || before[db] != after[db] || !before[shm].same(after[shm]) {
		return errAgain
	}
	return context.Cause(ctx)
}

// underLogLock keeps the log from being moved into the database. Only with the shared lock, taken before, is the -shm
// certain to be the one in use: the last user of a log deletes both files, past all locks of the -shm.
func (c *capture) underLogLock(ctx context.Context, f *os.File) error {
	index, err := c.openSide(shm)
	if err != nil {
		return err
	}
	if index == nil {
		return errAgain
	}
	defer index.Close()
	if err := c.ask(ctx, index, walRead0.try); err != nil {
		return err
	}
	defer walRead0.release(index)
	return c.pinned(ctx, f, func(before look) error {
		locked, err := fstat(index)
		if err != nil {
			return err
		}
		if !locked.same(before[shm]) {
			return errAgain
		}
		return c.sides(ctx, f)
	})
}
