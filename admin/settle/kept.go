package settle

import (
	"context"
	"errors"

	"holdfast/lease"
	"holdfast/ownership"
)

// Kept is what a store has in the place of a session's verdict.
type Kept struct {
	Verdict  *Verdict           // of whatever execution; nil: none that can be used
	Revision ownership.Revision // of the bytes; zero: there is none
	Fault    error              // why what is there cannot be used
}

// Read returns the verdict that is stored for a session. An error means that it could
// not be asked, which is never "none".
func Read(ctx context.Context, s lease.Store, d ownership.Digest) (Kept, error) {
	keeper, err := keeperOf(s)
	if err != nil {
		return Kept{}, err
	}
	stored, err := keeper.Verdict(ctx, d)
	if err != nil || stored.Vacant() {
		return Kept{}, err
	}
	k := Kept{Revision: stored.Revision, Fault: stored.Fault}
	if k.Fault != nil {
		return k, nil
	}
	v, err := Decode(stored.Bytes)
	if err != nil {
		k.Fault = err
		return k, nil
	}
	k.Verdict = &v
	return k, nil
}

func keeperOf(s lease.Store) (lease.Verdicts, error) {
	if keeper, ok := s.(lease.Verdicts); ok {
		return keeper, nil
	}
	return nil, &lease.StoreError{
		Kind: lease.ErrStoreUnavailable, Op: "keep verdicts", Path: s.Identity(),
		Err: errors.New("this store has no place for them"), Advice: "keep them in the orchestrator's own plan",
	}
}

// Set stores v durably and at once. It returns a [*lease.Refusal], having changed
// nothing (I8), where v is not about the latest execution of its session, an
// [*ownership.FieldError] for a member that breaks a rule, and otherwise what
// [lease.Verdicts] promises. A reason that is too long is cut.
func Set(ctx context.Context, s lease.Store, v Verdict) error {
	keeper, err := keeperOf(s)
	if err != nil {
		return err
	}
	v.Reason = Cut(v.Reason, MaxReasonSize)
	for {
		stored, err := s.Load(ctx, v.KeyDigest)
		if err != nil {
			return err
		}
		if refused, why := refusal(stored.Reading(v.KeyDigest), v); refused {
			return refuse(ctx, s, v.KeyDigest, why)
		}
		b, err := Encode(v)
		if err != nil {
			return err
		}
		err = keeper.SetVerdict(ctx, v.KeyDigest, stored.Revision, b)
		// A conflict means that somebody else made progress, so only ctx bounds it.
		if !errors.Is(err, lease.ErrConflict) || ctx.Err() != nil {
			return err
		}
	}
}

// refusal says why v is not about the latest execution.
func refusal(r ownership.Reading, v Verdict) (refused bool, why string) {
	place, ok := PlaceOf(r.Record)
	switch {
	case r.Fault != nil:
		return true, ""
	case r.Record == nil:
		return true, "nobody ever acquired it"
	case !ok:
		return true, "its record was set aside, and nobody knows who owned it"
	}
	why = place.differs(v.Place())
	return why != "", why
}

// refuse returns the refusal of a verdict. Without a why, the record is unreadable.
func refuse(ctx context.Context, s lease.Store, d ownership.Digest, why string) error {
	i, err := lease.Inspect(ctx, s, d)
	if err != nil {
		return err
	}
	if i.Fault != nil || why == "" {
		return &lease.Refusal{Reason: ownership.ReasonUnreadableRecord, Message: i.Summary(), Inspection: i}
	}
	msg := "the verdict is not about the latest execution of the session: " + why
	return &lease.Refusal{Reason: ownership.ReasonOwnershipLost, Message: msg, Inspection: i}
}

// Clear removes the verdict of a session and returns what it was: the zero Kept where
// there was none. What is no file of the store's is refused.
func Clear(ctx context.Context, s lease.Store, d ownership.Digest) (Kept, error) {
	keeper, err := keeperOf(s)
	if err != nil {
		return Kept{}, err
	}
	for {
		k, err := Read(ctx, s, d)
		if err != nil || k.Revision.IsZero() {
			return k, err
		}
		err = keeper.ClearVerdict(ctx, d, k.Revision)
		if !errors.Is(err, lease.ErrConflict) || ctx.Err() != nil {
			return k, err
		}
	}
}
