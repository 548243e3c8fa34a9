package sqlitecopy

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Guard says what made a raw copy one moment of the source.
type Guard string

// The guards.
const (
	Unmoved    Guard = "unmoved"       // no size and no time changed while it was read
	SharedLock Guard = "shared-lock"   // the lock of a reader, which no commit to a rollback journal gets past
	LogLock    Guard = "wal-read-lock" // that, and the lock that keeps the log from being moved into the database
)

const (
	quietTries = 3                // without a lock, which a writer could meet
	leastTries = 10               // before the source counts as busy
	patience   = 10 * time.Second // likewise
	longestUse = 4 * time.Second  // of a lock that commits wait for: writers wait 5 s
	breather   = 300 * time.Millisecond
)

// capture is the taking of one raw copy.
type capture struct {
	path       string
	raw        *rawCopy
	patience   time.Duration
	longestUse time.Duration
	kind       Journal
	super      *SuperJournal
	notes      []string
	tries      int
	holder     int // the process that held the exclusive lock, if known
}

func newCapture(path string, raw *rawCopy) *capture {
	return &capture{path: path, raw: raw, patience: patience, longestUse: longestUse}
}

// run tries until a copy is one moment of the source, or it is busy.
func (c *capture) run(ctx context.Context) (Guard, error) {
	for end := time.Now().Add(c.patience); ; {
		c.tries++
		guard, err := c.try(ctx)
		if !again(err) {
			return guard, err
		}
		if c.tries >= leastTries && time.Now().After(end) {
			return "", c.busy(err)
		}
		c.raw.meter.expect(c.raw.read)
		c.raw.read = 0
		if err := pause(ctx, tick); err != nil {
			return "", err
		}
	}
}

func again(err error) bool { return errors.Is(err, errAgain) || errors.Is(err, errRefused) }

// try takes a log's copy under its locks, which no writer notices, and a rollback journal's first without.
func (c *capture) try(ctx context.Context) (Guard, error) {
	c.notes = nil
	before, err := lookAt(c.path)
	if err != nil {
		return "", err
	}
	f, err := openSource(c.path, before[db])
	if err != nil {
		return "", err
	}
	defer f.Close()
	h, err := readHeader(f)
	if err != nil {
		return "", err
	}
	c.kind = kindOf(h, before)
	if c.kind == Rollback && c.tries <= quietTries {
		return Unmoved, c.still(ctx, f)
	}
	return c.guarded(ctx, f)
}

// kindOf goes by what SQLite would do: it reads a log even where the header does not announce one.
func kindOf(h header, l look) Journal {
	if h.logged() || !l[wal].absent() {
		return WriteAhead
	}
	return Rollback
}

func (c *capture) busy(err error) error {
	who := "the program that uses it"
	if c.holder != 0 {
		who = nameOf(c.holder)
	}
	return &Error{Kind: ErrBusy, Path: c.path, Err: fmt.Errorf("%w, %d times", err, c.tries),
		Next: "pause or stop " + who + ", then take the copy again"}
}
