package lease

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"holdfast/ownership"
)

// WatchInterval is how often a store without notifications checks that a lease is
// still in force.
const WatchInterval = time.Second

// Lease is the ownership of one generation of a session. Its methods may be called
// from several goroutines. A lease that is dropped without Release or Abandon stays
// in force until the process ends, and leaves the session stranded then.
type Lease struct {
	store Store
	key   ownership.Key
	hold  Hold
	kin   *os.File
	free  func()

	ctx    context.Context
	cancel context.CancelCauseFunc

	watching *time.Timer // until the watch begins

	mu       sync.Mutex
	current  ownership.Current
	ended    bool
	quiesced bool
}

// Key returns the key of the session.
func (l *Lease) Key() ownership.Key { return l.key }

// Generation returns the fencing token: whatever the session's work is written to
// can refuse a smaller one.
func (l *Lease) Generation() ownership.Generation { return l.hold.Generation() }

// Revision returns the revision of the record that this lease published last.
func (l *Lease) Revision() ownership.Revision {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.current.Revision
}

// Record returns the record that this lease published last.
func (l *Lease) Record() ownership.Record {
	l.mu.Lock()
	defer l.mu.Unlock()
	return *l.current.Record
}

// Context is done when the lease ends. Its cause wraps ErrOwnershipLost when
// ownership was lost, and is ErrEnded after Release and Abandon.
func (l *Lease) Context() context.Context { return l.ctx }

// Kin returns the descriptor that carries the kin lock, for children to inherit, or
// nil unless Owner.Kin asked for it. While any process that inherited it lives, the
// session is held, even if this process is killed. The caller may close it once its
// children have it.
func (l *Lease) Kin() *os.File { return l.kin }

// Pulse records a sign of progress, for people to read. It is never authority. Once
// the lease has ended it is refused: the pulse may be the next owner's.
func (l *Lease) Pulse(ctx context.Context, phase Phase, note string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.inForce(); err != nil {
		return err
	}
	return l.pulse(ctx, phase, note)
}

func (l *Lease) pulse(ctx context.Context, phase Phase, note string) error {
	return WritePulse(ctx, l.store, l.key.Digest(), Pulse{l.Generation(), phase, note, ownership.At(time.Now())})
}

// Describe publishes changed facts about the session. Its errors are those of
// Store.Publish; after ErrOutcomeUnknown and ErrOwnershipLost the lease has ended.
func (l *Lease) Describe(ctx context.Context, f ownership.Facts) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.inForce(); err != nil {
		return err
	}
	r, err := ownership.Describe(l.current, f)
	if err != nil {
		return err
	}
	return l.concludes(l.publish(ctx, l.current.Revision, r))
}

// Release acknowledges that nothing the owner started can still touch the session
// and makes it idle (I5).
//
// It returns a [*NotQuiescentError] while another process holds the kin lock or a
// declared runtime is not certainly gone; the lease is then still in force, as it is
// after a definite failure of the store. After an error that wraps ErrOutcomeUnknown
// or ErrOwnershipLost it has ended. Lock files that could not be removed behind a
// durable release are no error: doctor counts them.
func (l *Lease) Release(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.inForce(); err != nil {
		return err
	}
	if err := l.provesQuiescence(ctx); err != nil {
		return err
	}
	r, err := ownership.ReleaseAcknowledge(l.current)
	if err != nil {
		return err
	}
	// What has begun is settled: a caller that goes away now must not leave a session
	// whose release was acknowledged.
	err = l.concludes(l.publishBy(context.WithoutCancel(ctx), lastOf(l.store), l.current.Revision, r))
	if err == nil {
		l.end(ErrEnded)
		_ = l.hold.Retire()
	}
	return err
}

// Abandon gives the lease up and leaves the session stranded on purpose: somebody
// must look before it is used again. The error is of the pulse that says so; the
// lease has ended in any case.
func (l *Lease) Abandon(ctx context.Context, note string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.inForce(); err != nil {
		return err
	}
	err := l.pulse(ctx, PhaseAbandoned, note) // before the lock goes: a probe reads it after
	l.end(ErrEnded)
	return errors.Join(err, l.hold.Drop())
}

// inForce returns why the lease is no longer in force, or nil. One that was found
// lost since its last use ends here. The caller has mu.
func (l *Lease) inForce() error {
	cause := context.Cause(l.ctx)
	if cause != nil && !l.ended {
		l.end(cause)
		cause = errors.Join(cause, l.hold.Drop())
	}
	return cause
}

// concludes ends the lease after a publish that took its ownership away.
func (l *Lease) concludes(err error) error {
	if errors.Is(err, ErrConflict) {
		err = fmt.Errorf("%w: %w", ErrOwnershipLost, err)
	}
	if errors.Is(err, ErrOwnershipLost) || errors.Is(err, ErrOutcomeUnknown) {
		l.end(err)
		return errors.Join(err, l.hold.Drop())
	}
	return err
}

// publisher is Store.Publish or Concluder.Conclude.
type publisher func(context.Context, Hold, ownership.Revision, []byte) error

// lastOf is how a store publishes the last record of a generation.
func lastOf(s Store) publisher {
	if c, ok := s.(Concluder); ok {
		return c.Conclude
	}
	return s.Publish
}

func (l *Lease) publish(ctx context.Context, previous ownership.Revision, r ownership.Record) error {
	return l.publishBy(ctx, l.store.Publish, previous, r)
}

// publishBy encodes r, publishes it over previous and remembers it.
func (l *Lease) publishBy(ctx context.Context, publish publisher, previous ownership.Revision, r ownership.Record) error {
	b, err := ownership.Encode(r)
	if err != nil {
		return err
	}
	if err := publish(ctx, l.hold, previous, b); err != nil {
		return err
	}
	l.current = ownership.Current{Record: &r, Revision: ownership.RevisionOf(b)}
	return nil
}

// end cancels the lease's context and frees its occupancy; its lock is the caller's.
func (l *Lease) end(cause error) {
	l.ended = true
	l.watching.Stop()
	l.cancel(cause)
	_ = l.closeKin() // children have their own copies; nothing was written through it
	l.free()
}
