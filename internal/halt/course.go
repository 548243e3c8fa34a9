package halt

import (
	"context"
	"errors"
	"syscall"
	"time"
)

// Stage is a signal and how long is waited for its effect. Nothing can put off KILL but the kernel, which on a busy machine
// may be late: its effect is waited for [Dying] at least.
type Stage struct {
	Signal syscall.Signal
	Grace  time.Duration
}

// Dying is how long a process that was killed may take to end. One that waits for a device takes longer.
const Dying = 5 * time.Second

func (s Stage) patience() time.Duration {
	if s.Signal == syscall.SIGKILL {
		return max(s.Grace, Dying)
	}
	return s.Grace
}

// Sent is a signal that a process was sent.
type Sent struct {
	Process Process
	Signal  syscall.Signal
}

// End goes through the course until every process has ended. It returns what it sent and who is left; an error says who
// could not be signalled or asked, which for those that are not left is of no importance. When ctx is done it sends
// nothing more.
func End(ctx context.Context, all []Process, course ...Stage) (sent []Sent, left []Process, err error) {
	left, err = Await(ctx, all, 0)
	for _, stage := range course {
		if len(left) == 0 || ctx.Err() != nil {
			break
		}
		err = nil // what went wrong before matters only if it still does
		for _, p := range left {
			failed := Signal(p, stage.Signal)
			if failed == nil {
				sent = append(sent, Sent{p, stage.Signal})
			} else if !errors.Is(failed, ErrEnded) {
				err = errors.Join(err, failed)
			}
		}
		var unasked error
		left, unasked = Await(ctx, left, stage.patience())
		err = errors.Join(err, unasked)
	}
	return sent, left, errors.Join(err, ctx.Err())
}
