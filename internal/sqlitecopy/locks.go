package sqlitecopy

import (
	"context"
	"errors"
	"os"
	"time"
)

// lock is a range of bytes that SQLite locks to mean something.
type lock struct{ start, length int64 }

var (
	pending  = lock{0x40000000, 1}       // of the database: a writer waits for the readers to go
	shared   = lock{0x40000000 + 2, 510} // of the database: its readers
	walRead0 = lock{120 + 3, 1}          // of the -shm: readers of the database alone; keeps checkpoints away
)

// errRefused is the end of a try to lock what somebody else has.
var errRefused = errors.New("lock refused")

const (
	lockWait = time.Second
	lockPoll = 2 * time.Millisecond
)

// lockShared keeps writers of a rollback journal from committing and everybody from deleting a write-ahead log. The
// order is SQLite's own: without a turn at the pending lock a reader could starve a writer.
func lockShared(f *os.File) error {
	if err := pending.try(f); err != nil {
		return err
	}
	return errors.Join(shared.try(f), pending.release(f))
}

// ask repeats take until it is not refused any more, for a second.
func (c *capture) ask(ctx context.Context, f *os.File, take func(*os.File) error) error {
	for end := time.Now().Add(min(lockWait, c.patience)); ; {
		err := take(f)
		if !errors.Is(err, errRefused) || time.Now().After(end) {
			return err
		}
		if err := pause(ctx, lockPoll); err != nil {
			return err
		}
	}
}

// pause waits, and returns the cause when ctx is done.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}
