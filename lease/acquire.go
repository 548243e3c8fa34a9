package lease

import (
	"context"
	"errors"
	"time"

	"holdfast/ownership"
)

// maxStarts bounds how often an acquire starts over because the session changed
// between its look and its hold. Each start over means that somebody else got
// through; so many in a row is a storm, and refusing is honest.
const maxStarts = 100

// Acquire makes the caller the owner of a session, or returns an error and leaves
// everything as it was.
//
// A session that is not vacant or idle is refused with a [*Refusal]; with o.Wait, one
// that stays held until the end of the wait with a [*WaitError]. A store across a network
// that cannot be asked while a wait lasts is asked again until its end. ErrOutcomeUnknown
// means that the record may say that this process owns the session: it does not, and
// starts nothing. Other errors are of the store and changed nothing. When ctx ends
// after the record was published, the session is released again.
func Acquire(ctx context.Context, s Store, key ownership.Key, o Owner) (*Lease, error) {
	if _, err := ownership.ParseKey(key.String()); err != nil {
		return nil, err // the zero Key is none
	}
	listening, stop := context.WithCancel(ctx)
	defer stop()
	w := waiting{store: s, digest: key.Digest(), deadline: time.Now().Add(o.Wait)}
	for waited := false; ; waited = true {
		l, err := acquireOnce(ctx, s, key, o)
		if o.Wait <= 0 || !isHeld(err) && !(waited && w.outlasts(err)) {
			return l, err
		}
		if !waited && o.Waiting != nil {
			o.Waiting(refusalIn(err))
		}
		if end := w.next(listening); end != nil {
			return nil, waitEnd(end, err)
		}
	}
}

// acquireOnce acquires without waiting. The occupancy comes before any I/O.
func acquireOnce(ctx context.Context, s Store, key ownership.Key, o Owner) (*Lease, error) {
	free, ok := Occupy(s, key.Digest())
	if !ok {
		return nil, refuseOccupied(ctx, s, key)
	}
	c := claimant{store: s, key: key, owner: o, free: free}
	l, err := c.claim(ctx)
	if err != nil {
		free()
	}
	return l, err
}

// claimant is one attempt to acquire.
type claimant struct {
	store Store
	key   ownership.Key
	owner Owner
	free  func()
}

// claim looks, holds, looks again and publishes; it starts over when the session
// changed in between.
func (c claimant) claim(ctx context.Context) (*Lease, error) {
	var seen Inspection
	for range maxStarts {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		l, i, err := c.claimOnce(ctx)
		if !errors.Is(err, errMoved) && !errors.Is(err, ErrHeld) {
			return l, err
		}
		if errors.Is(err, ErrHeld) && i.Stored.Revision == seen.Stored.Revision && seen.State != "" {
			return nil, refuseClaimed(ctx, c.store, i, c.key)
		}
		seen = i
	}
	return nil, refuseClaimed(ctx, c.store, seen, c.key)
}

// errMoved makes claim start over: the session is not what it was when judged.
var errMoved = errors.New("the session changed")

// claimOnce takes its hold through the view that it looked with.
func (c claimant) claimOnce(ctx context.Context) (*Lease, Inspection, error) {
	v := viewOf(c.store, c.key.Digest())
	defer v.Close()
	i, err := inspect(ctx, v, c.key.Digest())
	if err != nil {
		return nil, i, err
	}
	if i.State.AcquireRefusal() != "" {
		return nil, i, refuse(i, c.key) // no lock taken, no byte written (I8)
	}
	l, err := c.claimFrom(ctx, v, i)
	return l, i, err
}

func (c claimant) claimFrom(ctx context.Context, v View, i Inspection) (*Lease, error) {
	record, err := c.record(i.Current())
	if err != nil {
		return nil, err // a claim that no record can hold touches nothing
	}
	hold, err := v.Hold(ctx, record.Generation) // before the publish: I4
	if err != nil {
		return nil, err
	}
	l, err := c.publish(ctx, hold, i.Stored.Revision, record)
	if err == nil {
		return l, nil
	}
	// A claimant that backs off leaves the lock's file: the name may be another owner's
	// published generation.
	if dropped := hold.Drop(); dropped != nil {
		err = errors.Join(err, dropped)
	}
	return nil, err
}

// record returns the record that the claim would publish, checked.
func (c claimant) record(current ownership.Current) (ownership.Record, error) {
	claim := ownership.Claim{Key: c.key, Private: c.owner.Private, Owner: c.owner.record(), Facts: c.owner.Facts}
	r, err := ownership.Acquire(current, claim)
	if err == nil {
		err = r.Validate()
	}
	return r, err
}

// publish makes the claim durable under its hold. The second load is what the whole
// protocol rests on: once generation G is published, a late claimant of G sees it
// here and backs off.
func (c claimant) publish(ctx context.Context, hold Hold, seen ownership.Revision, r ownership.Record) (*Lease, error) {
	l := &Lease{store: c.store, key: c.key, hold: hold, free: c.free}
	if err := l.takeKin(c.owner.Kin); err != nil {
		return nil, err
	}
	if err := c.publishActive(ctx, l, seen, r); err != nil {
		_ = l.closeKin() // nobody inherited it
		return nil, err
	}
	l.watch(ctx)
	if cause := context.Cause(ctx); cause != nil {
		return nil, l.settle(cause)
	}
	return l, nil
}

func (c claimant) publishActive(ctx context.Context, l *Lease, seen ownership.Revision, r ownership.Record) error {
	again, err := c.loadUnder(ctx, l.hold)
	if err != nil {
		return err
	}
	if again.Revision != seen {
		return errMoved
	}
	err = l.publish(ctx, seen, r)
	if errors.Is(err, ErrConflict) {
		return errMoved
	}
	if errors.Is(err, ErrOutcomeUnknown) {
		l.disown()
	}
	return err
}

// loadUnder loads the record after the life lock was taken, or takes what was seen in the
// very step that took it.
func (c claimant) loadUnder(ctx context.Context, hold Hold) (Stored, error) {
	if w, ok := hold.(Witness); ok {
		return w.Witnessed(), nil
	}
	return LoadUnder(ctx, c.store, hold)
}
