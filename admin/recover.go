package admin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"holdfast/admin/evidence"
	"holdfast/internal/procid"
	"holdfast/lease"
	"holdfast/ownership"
)

// patience bounds how long a recovery waits for another one of the same session. A
// recovery takes milliseconds; one that takes longer is stopped or stuck, and is
// named instead.
const patience = 2 * time.Second

// raceInterval is how often a waiting recovery looks again.
const raceInterval = 10 * time.Millisecond

// Recover makes a session idle whose owner can no longer prove anything, and returns
// the receipt once that is durable. The work that the record names is saved before
// anything else, and nothing is recovered if that fails.
//
// It returns a [*lease.Refusal], possibly wrapped, when the state of the session or
// the consent does not allow it; a [*ForceRequired] among them carries the preview.
// An error that wraps [lease.ErrOutcomeUnknown] means that the recovery may or may
// not be in force; asking again with the same arguments is safe (I9). An
// [*ownership.FieldError] names an actor or a reason that no record can hold. Other
// errors are those of the store: nothing was changed.
func Recover(ctx context.Context, s lease.Store, r Recovery) (Receipt, error) {
	giveUp := time.Now().Add(patience)
	q := request{Recovery: r, store: s, at: ownership.At(r.At)}
	if r.At.IsZero() {
		q.at = ownership.At(time.Now())
	}
	for {
		a, err := q.decide(ctx)
		q.seen = nil // it is of another moment from here on
		if err != nil {
			return Receipt{}, err
		}
		if q.owes(a) {
			if q.aside {
				return Receipt{}, errAside
			}
			if err := q.save(ctx, a); err != nil {
				return Receipt{}, err
			}
			giveUp = time.Now().Add(patience)
			continue
		}
		receipt, err := a.commit(ctx, s, q.room)
		if !lostRace(err) {
			receipt.Snapshot = q.keptIn(receipt)
			return receipt, explained(err)
		}
		if time.Now().After(giveUp) {
			return Receipt{}, refuseClaimed(ctx, s, a)
		}
		if err := pause(ctx); err != nil {
			return Receipt{}, err
		}
	}
}

// request is a recovery with all that it needs to be decided.
type request struct {
	Recovery
	store lease.Store
	at    ownership.Timestamp
	saved *evidence.Taken // nil until the snapshot was taken
}

func (q request) actor() string {
	if q.Actor != "" {
		return q.Actor
	}
	return procid.UserName() + "@" + procid.ThisHost().Name
}

// lostRace reports whether somebody else was acquiring or recovering the session at
// the same moment: what to answer then depends on what is there now.
func lostRace(err error) bool {
	return errors.Is(err, lease.ErrHeld) || errors.Is(err, lease.ErrConflict)
}

func pause(ctx context.Context) error {
	t := time.NewTimer(raceInterval)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// explained adds to an unknown outcome what a person can do about it.
func explained(err error) error {
	if !errors.Is(err, lease.ErrOutcomeUnknown) {
		return err
	}
	return &lease.StoreError{
		Op:     "recover",
		Err:    err,
		Advice: "type the same command again: it returns the receipt if the recovery took effect, and recovers if it did not",
	}
}

// refuseClaimed refuses a session whose next generation somebody else holds for
// longer than a recovery takes.
func refuseClaimed(ctx context.Context, s lease.Store, a attempt) error {
	msg := fmt.Sprintf("session %s is being acquired or recovered by %s at this moment", a.seen.Name(), claimants(ctx, s, a))
	refusal := refuse(ctx, s, a.seen, ownership.ReasonActiveOwner, msg)
	refusal.Inspection.Next = []lease.Next{LookAgain(a.seen, "look again"), listAll}
	return refusal
}

func claimants(ctx context.Context, s lease.Store, a attempt) string {
	holders, err := s.Holders(ctx, a.record.KeyDigest, a.record.Generation, ownership.LifeLock)
	if err != nil || len(holders) == 0 {
		return "somebody else"
	}
	return processes(holders)
}
