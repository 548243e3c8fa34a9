package admin

import (
	"context"
	"errors"

	"holdfast/lease"
	"holdfast/ownership"
)

// attempt is a recovery that was found permissible on the bytes of one look.
type attempt struct {
	seen    lease.Inspection
	record  ownership.Record // what will be published
	bytes   []byte
	publish publisher
	replay  bool // record is already there: it is published once more as it is
	// forgotten is why nobody knows which generations there were.
	forgotten error
	settled   *Settled // what the displaced execution achieved; nil where nobody is known to have owned the session
}

// publisher is how a store replaces what was seen: Store.Publish, Superseder.Supersede,
// Displacer.Displace or Quarantiner.Quarantine.
type publisher func(context.Context, lease.Hold, ownership.Revision, []byte) error

// displacing publishes over the active record of a generation. Where the store can, it
// looks for its owner once more in that very step (I7).
func displacing(s lease.Store, g ownership.Generation) publisher {
	switch s := s.(type) {
	case lease.Displacer:
		return func(ctx context.Context, hold lease.Hold, previous ownership.Revision, b []byte) error {
			return s.Displace(ctx, hold, previous, g, b)
		}
	case lease.Superseder:
		return s.Supersede
	default:
		return s.Publish
	}
}

// room bounds how many do something at once. A nil one bounds nothing.
type room chan struct{}

func (r room) enter() (leave func()) {
	if r == nil {
		return func() {}
	}
	r <- struct{}{}
	return func() { <-r }
}

// commit makes the attempt and notes it in the archive. An error that is no unknown
// outcome means that no record changed.
func (a attempt) commit(ctx context.Context, s lease.Store, r room) (Receipt, error) {
	free, ok := lease.Occupy(s, a.record.KeyDigest)
	if !ok {
		return Receipt{}, lease.ErrHeld
	}
	defer free()
	receipt, err := a.hold(ctx, s, r)
	if err != nil {
		return Receipt{}, err
	}
	// The recovery stands: a caller that goes away must not leave it without its event.
	event := recoveryEvent(a.record, receipt.Revision, a.settled)
	receipt.Unrecorded = archiveFault(recordEvent(context.WithoutCancel(ctx), s, event))
	return receipt, nil
}

// hold publishes under the life lock of the record's generation (I3), and only over the
// very bytes that were seen (I6).
func (a attempt) hold(ctx context.Context, s lease.Store, r room) (Receipt, error) {
	defer r.enter()()
	hold, err := s.Hold(ctx, a.record.KeyDigest, a.record.Generation)
	if err != nil {
		return Receipt{}, err
	}
	if err := a.publishUnder(ctx, s, hold); err != nil {
		return Receipt{}, errors.Join(err, hold.Drop())
	}
	receipt := receiptOf(a.record, a.bytes, a.seen)
	receipt.Replayed, receipt.Settled = a.replay, a.settled
	receipt.Leftover, receipt.Forgotten = hold.Retire(), a.forgotten
	return receipt, nil
}

// publishUnder compares once more before it publishes: whoever got the lock may have
// got it because a faster recovery has just ended.
func (a attempt) publishUnder(ctx context.Context, s lease.Store, hold lease.Hold) error {
	again, err := lease.LoadUnder(ctx, s, hold)
	if err != nil {
		return err
	}
	if again.Revision != a.seen.Stored.Revision {
		return lease.ErrConflict
	}
	return a.publish(ctx, hold, a.seen.Stored.Revision, a.bytes)
}
