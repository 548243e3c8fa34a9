package durable

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"
)

// ErrUnknown is wrapped by the error of a [Publish] that may or may not have taken
// effect (I9).
var ErrUnknown = errors.New("the record may or may not have been replaced")

// ErrLocked is returned when somebody kept the directory's lock for [LockWait].
var ErrLocked = errors.New("the directory's lock is taken")

// LockWait is how long a publish waits for the directory's lock, which publishers
// hold for microseconds.
const LockWait = 5 * time.Second

// Publication is one record about to replace another.
type Publication struct {
	Next   string // the temporary name, which belongs to this publisher alone
	Past   string // the name that the bytes keep in history
	Record string // the name that is replaced
	Bytes  []byte

	// Parent is synced first where the directory itself may not be durable yet.
	Parent Dir
	// Over are names that mean nothing any more once the record is in force. They go in the
	// same wait; with one that cannot be removed, those behind it stay.
	Over []string
	// Check decides under the directory's lock whether to go on. Its error is final and
	// returned as it is. It may return another way to put the file Next in the place of
	// Record in one step; nil renames it.
	Check func() (place func() error, err error)
}

// Publish replaces a record. The order is the whole point:
//
//	the caller has opened the directory, so that no later call depends on a path
//	create Next exclusively → write → fchmod if the umask changed its mode → fsync →
//	close: the bytes are durable
//	fsync the parent where the session was vacant: so is the directory's own name
//	flock the directory: publishers one at a time, for microseconds
//	check: still the owner, still the expected record
//	link Past: the record has its place in history before it is in force (I11)
//	rename over Record: the moment it is in force
//	remove what is over with it
//	unlock
//	fsync the directory: name and history are durable together
//
// It returns the identity of the file that is the new record now. Whatever fails up
// to the rename is undone; whatever fails after it wraps [ErrUnknown].
func Publish(ctx context.Context, dir Dir, p Publication) (ID, error) {
	t := &transaction{Publication: p, dir: dir}
	err := t.prepare()
	if err == nil {
		err = t.replace(ctx)
	}
	switch {
	case err == nil:
		return t.id, nil
	case errors.Is(err, ErrUnknown):
		return ID{}, err
	}
	return ID{}, errors.Join(err, t.discard())
}

// transaction is one Publish in progress.
type transaction struct {
	Publication
	dir Dir
	id  ID // of the new file
}

// prepare makes the new bytes, and the directory that they go to, durable.
func (t *transaction) prepare() error {
	f, err := t.create()
	if err != nil {
		return err
	}
	if err := t.write(f); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := f.Close(); err != nil {
		return err
	}
	if t.Parent == nil {
		return nil
	}
	return t.Parent.Sync()
}

// create opens a fresh Next. One that is there was left by an earlier attempt of this
// same publisher, since nobody else uses the name (I3).
func (t *transaction) create() (File, error) {
	f, err := t.dir.Create(t.Next)
	if errors.Is(err, fs.ErrExist) {
		if err := t.dir.Remove(t.Next); err != nil {
			return nil, err
		}
		f, err = t.dir.Create(t.Next)
	}
	return f, err
}

func (t *transaction) write(f File) error {
	if _, err := f.Write(t.Bytes); err != nil {
		return err
	}
	e, err := f.Stat()
	if err != nil {
		return err
	}
	if e.Mode != FileMode { // the umask took some of it
		if err := f.Chmod(FileMode); err != nil {
			return err
		}
	}
	t.id = e.ID
	return f.Sync()
}

// replace puts the prepared file in the record's place.
func (t *transaction) replace(ctx context.Context) error {
	if err := Lock(ctx, t.dir); err != nil {
		return err
	}
	if err := t.swap(); err != nil {
		return errors.Join(err, t.dir.Unlock())
	}
	t.clear()
	// The record may be the new one from here on, so no error is definite any more.
	if err := errors.Join(t.dir.Unlock(), t.dir.Sync()); err != nil {
		return fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	return nil
}

// swap does what happens under the directory's lock.
func (t *transaction) swap() error {
	place, err := t.Check()
	if err != nil {
		return err
	}
	fresh, err := t.keep()
	if err != nil {
		return err
	}
	if place == nil {
		place = func() error { return t.dir.Rename(t.Next, t.Record) }
	}
	if err = place(); err == nil {
		return nil
	}
	// Some calls answer with an error after having done their work, and what cannot be
	// asked may be so.
	if is, askErr := names(t.dir, t.Record, t.id); is || askErr != nil {
		return fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	if fresh {
		err = errors.Join(err, t.forget())
	}
	return err
}

// keep gives the new file its name in history and reports whether that name is new.
// One that exists has the same bytes: they were published before, or by a publisher
// that died on the way. It is replaced without ever being absent, since an existing
// name may be the only one that history has.
func (t *transaction) keep() (fresh bool, err error) {
	err = t.dir.Link(t.Next, t.Past)
	if err == nil {
		return true, nil
	}
	if !errors.Is(err, fs.ErrExist) {
		return false, errors.Join(err, t.forget())
	}
	if err := t.dir.Rename(t.Next, t.Past); err != nil {
		return false, err
	}
	return false, t.dir.Link(t.Past, t.Next)
}

// clear removes what is over.
func (t *transaction) clear() {
	for _, name := range t.Over {
		if cleanup(t.dir.Remove(name)) != nil {
			return
		}
	}
}

// forget takes the new file out of history.
func (t *transaction) forget() error {
	is, err := names(t.dir, t.Past, t.id)
	if is {
		err = t.dir.Remove(t.Past)
	}
	return cleanup(err)
}

// discard removes the temporary name, which is nobody else's.
func (t *transaction) discard() error {
	if _, err := t.dir.Lstat(t.Next); err != nil {
		return cleanup(err)
	}
	return cleanup(t.dir.Remove(t.Next))
}

func cleanup(err error) error {
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fmt.Errorf("clean-up: %w", err)
}

// names reports whether name stands for the file id.
func names(d Dir, name string, id ID) (bool, error) {
	e, err := d.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && e.ID == id, err
}

// Lock takes the directory's lock, for which it waits at most [LockWait].
func Lock(ctx context.Context, dir Dir) error {
	const longest = 10 * time.Millisecond
	deadline := time.Now().Add(LockWait)
	for pause := 50 * time.Microsecond; ; pause = min(2*pause, longest) {
		switch ok, err := dir.TryLock(); {
		case err != nil:
			return err
		case ok:
			return nil
		case time.Now().After(deadline):
			return ErrLocked
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}
