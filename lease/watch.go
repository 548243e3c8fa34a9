package lease

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"holdfast/ownership"
)

// briefly is how long a lease is not watched. Many an owner is done by then, and starting
// what watches, only to end it, would cost more than all that was written.
const briefly = 50 * time.Millisecond

// watch begins the life of a lease whose record was just published. The lease
// outlives the context of the acquire, but keeps its values.
func (l *Lease) watch(ctx context.Context) {
	l.ctx, l.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	l.watching = time.AfterFunc(briefly, func() {
		err := l.hold.Watch(l.ctx)
		if errors.Is(err, ErrOwnershipLost) {
			l.cancel(err)
		}
	})
}

// settle releases a lease whose caller went away during the acquire: nothing was
// started, so the acknowledgement is true. It returns the cause, and what failed
// behind it.
func (l *Lease) settle(cause error) error {
	if err := l.Release(context.WithoutCancel(l.ctx)); err != nil {
		return fmt.Errorf("%w; the session is still active: %w", cause, err)
	}
	return cause
}

func (l *Lease) takeKin(want bool) (err error) {
	if want {
		l.kin, err = l.hold.Kin()
	}
	return err
}

func (l *Lease) closeKin() error {
	if l.kin == nil {
		return nil
	}
	if err := l.kin.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}

// disown tells probes that this process, which lives on, does not own what it may
// have published: the publish went unanswered (I9). It is a courtesy: without it the
// session stays unproven until this process ends.
func (l *Lease) disown() {
	p := Pulse{l.hold.Generation(), PhaseAbandoned, "the acquire had no answer", ownership.At(time.Now())}
	_ = WritePulse(context.Background(), l.store, l.key.Digest(), p)
}
