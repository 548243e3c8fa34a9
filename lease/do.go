package lease

import (
	"context"
	"errors"
	"fmt"

	"holdfast/ownership"
)

// Quiesced is called by the body of [Do] when nothing that it started can still
// touch the session.
func (l *Lease) Quiesced() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.quiesced = true
}

// Do acquires a session, runs body in it and releases it, but only if body called
// Quiesced: whatever else happens, panics included, the session is left stranded for
// a person to look at.
//
// The context that body gets is done when ctx is, or when ownership is lost; its
// cause then wraps ErrOwnershipLost. Do returns the errors of Acquire, of body, and
// of Release or Abandon, the first of them first; without Quiesced, ErrNotQuiescent
// is among them.
func Do(ctx context.Context, s Store, key ownership.Key, o Owner, body func(context.Context, *Lease) error) (err error) {
	l, err := Acquire(ctx, s, key, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.conclude(ctx)) }()
	work, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(l.Context(), func() { cancel(context.Cause(l.Context())) })()
	return body(work, l)
}

// conclude releases after Quiesced and abandons otherwise. It finishes what it began
// even when ctx is done.
func (l *Lease) conclude(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	why := fmt.Errorf("%w: the work did not say that it had stopped", ErrNotQuiescent)
	if l.isQuiesced() {
		if why = l.Release(ctx); why == nil || l.Context().Err() != nil {
			return why
		}
	}
	return errors.Join(why, l.Abandon(ctx, why.Error()))
}

func (l *Lease) isQuiesced() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.quiesced
}
