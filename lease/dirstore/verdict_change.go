package dirstore

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	"holdfast/internal/durable"
	"holdfast/internal/random"
	"holdfast/lease"
	"holdfast/ownership"
)

// verdictChange is one change of verdict.json in progress.
type verdictChange struct {
	x   *session
	dir durable.Dir
}

func (s *Store) changeVerdict(ctx context.Context, d ownership.Digest, op string, change func(*verdictChange) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	x, err := s.openSession(d)
	if err != nil {
		return err
	}
	if x == nil {
		return s.verdictFailed(op, d, conflictError("there is no such session"))
	}
	defer x.Close()
	dir, err := s.dir(x.Root)
	if err != nil {
		return s.verdictFailed(op, d, err)
	}
	defer dir.Close()
	return s.verdictFailed(op, d, change(&verdictChange{x, dir}))
}

// errUnanswered is wrapped where a change may or may not have been made (I9).
var errUnanswered = errors.New("it may or may not have been done")

// conflictError is returned where something else is there than the caller saw.
type conflictError string

func (e conflictError) Error() string { return string(e) }

// verdictFailed sorts what went wrong into the outcomes that callers are promised
// (I9).
func (s *Store) verdictFailed(op string, d ownership.Digest, err error) error {
	var conflict conflictError
	e := &lease.StoreError{Op: op, Path: s.verdictPath(d), Err: err}
	switch {
	case errors.As(err, &conflict):
		e.Kind, e.Advice = lease.ErrConflict, "look at the session again and decide anew"
	case errors.Is(err, errUnanswered):
		e.Kind, e.Advice = lease.ErrOutcomeUnknown, "look at the verdict before doing it again; doing it again does no harm"
	case errors.Is(err, durable.ErrLocked):
		e.Kind, e.Advice = lease.ErrStoreUnavailable, "a publish takes microseconds: see why that process does not go on, and try again"
	default:
		return s.failed(op, e.Path, err)
	}
	return e
}

func (c *verdictChange) replace(ctx context.Context, record ownership.Revision, b []byte) error {
	// Compared first, so that what would be refused anyway leaves no trace at all; the
	// comparison that counts is made again under the lock (I8).
	if err := c.compare(ctx, record); err != nil {
		return err
	}
	var unique [verdictRandomSize]byte
	random.Read(unique[:])
	temporary := verdictPrefix + hex.EncodeToString(unique[:])
	id, err := writeSynced(c.dir, temporary, b)
	if err == nil {
		err = c.locked(ctx, func() error {
			if err := c.compare(ctx, record); err != nil {
				return err
			}
			return c.place(temporary, id)
		})
	}
	if err != nil && !errors.Is(err, errUnanswered) {
		return errors.Join(err, ignoreMissing(c.dir.Remove(temporary)))
	}
	return err
}

// compare refuses what is no file of ours, and another record than the caller saw.
func (c *verdictChange) compare(ctx context.Context, record ownership.Revision) error {
	if _, err := lstatRegular(c.x.Root, verdictName); ignoreMissing(err) != nil {
		return err
	}
	current, err := load(ctx, c.x.Root)
	if err == nil && current.Revision != record {
		err = conflictError("the session's record is now " + revisionInWords(current))
	}
	return err
}

// place renames. Some calls answer with an error after having done their work, and
// what cannot be asked may be so.
func (c *verdictChange) place(temporary string, id durable.ID) error {
	err := c.dir.Rename(temporary, verdictName)
	if err == nil {
		return nil
	}
	e, askErr := c.dir.Lstat(verdictName)
	if ignoreMissing(askErr) != nil || askErr == nil && e.ID == id {
		return fmt.Errorf("%w: %w", errUnanswered, err)
	}
	return err
}

func (c *verdictChange) remove(seen ownership.Revision) error {
	if _, err := lstatRegular(c.x.Root, verdictName); ignoreMissing(err) != nil {
		return err
	}
	stored, err := readVerdict(c.x.Root)
	if err != nil {
		return err
	}
	if stored.Vacant() || stored.Revision != seen {
		return conflictError("it is not the verdict that was looked at any more")
	}
	if err := c.dir.Remove(verdictName); err != nil {
		if _, askErr := c.dir.Lstat(verdictName); askErr != nil {
			return fmt.Errorf("%w: %w", errUnanswered, err)
		}
		return err
	}
	return nil
}

// locked makes a change under the directory's lock, and durable. After the change no
// error is definite any more.
func (c *verdictChange) locked(ctx context.Context, change func() error) error {
	if err := durable.Lock(ctx, c.dir); err != nil {
		if errors.Is(err, durable.ErrLocked) {
			err = fmt.Errorf("%w by %s", err, lockHolders(c.x.Name()))
		}
		return err
	}
	if err := change(); err != nil {
		return errors.Join(err, c.dir.Unlock())
	}
	if err := errors.Join(c.dir.Unlock(), c.dir.Sync()); err != nil {
		return fmt.Errorf("%w: %w", errUnanswered, err)
	}
	return nil
}

// writeSynced makes a file that must not exist, and its bytes durable.
func writeSynced(dir durable.Dir, name string, b []byte) (durable.ID, error) {
	f, err := dir.Create(name)
	if err != nil {
		return durable.ID{}, err
	}
	id, err := fill(f, b)
	return id, errors.Join(err, f.Close())
}

func fill(f durable.File, b []byte) (durable.ID, error) {
	if err := f.Chmod(durable.FileMode); err != nil {
		return durable.ID{}, err
	}
	if _, err := f.Write(b); err != nil {
		return durable.ID{}, err
	}
	e, err := f.Stat()
	if err != nil {
		return durable.ID{}, err
	}
	return e.ID, f.Sync()
}
