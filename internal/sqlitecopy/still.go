package sqlitecopy

import (
	"context"
	"fmt"
	"os"
	"time"
)

// still copies without a lock that would help, and accepts what did not move from end to end.
func (c *capture) still(ctx context.Context, f *os.File) error {
	before, err := lookAt(c.path)
	if err != nil {
		return err
	}
	if wait := before.settled(time.Now()); wait > 0 {
		if err := pause(ctx, wait); err != nil {
			return err
		}
		if before, err = lookAt(c.path); err != nil {
			return err
		}
	}
	settled := before.settled(time.Now()) <= 0
	if err := c.sides(ctx, f); err != nil {
		return err
	}
	c.noteHolder(f)
	after, err := lookAt(c.path)
	if err != nil {
		return err
	}
	open, err := fstat(f)
	if err == nil && (!settled || before != after || !open.same(after[db])) {
		return errAgain
	}
	return err
}

// noteHolder admits what a copy beside an exclusive lock cannot know.
func (c *capture) noteHolder(f *os.File) {
	pid, held := shared.holder(f)
	if !held {
		return
	}
	c.holder = pid
	if !c.raw.recoverable() {
		c.notes = append(c.notes, fmt.Sprintf("%s held the exclusive lock and wrote nothing meanwhile; "+
			"if it keeps its journal in memory, this may be the middle of a transaction", nameOf(pid)))
	}
}

func nameOf(pid int) string {
	if pid == 0 {
		return "another process"
	}
	return fmt.Sprintf("process %d", pid)
}
