package admin

import (
	"context"
	"errors"
	"fmt"

	"holdfast/lease"
	"holdfast/ownership"
)

// decide looks at the session and returns the one attempt that its state and the
// consent allow, or the refusal. It changes nothing (I8). The order of the questions
// is part of the contract: owner, revision, consent.
func (q request) decide(ctx context.Context) (attempt, error) {
	i, err := q.look(ctx)
	if err != nil {
		return attempt{}, err
	}
	switch i.State {
	case ownership.StateVacant, ownership.StateIdle:
		return q.decideEnded(ctx, i)
	case ownership.StateUnreadable:
		return q.decideUnreadable(ctx, i)
	case ownership.StateHeld:
		return q.decideHeld(ctx, i)
	case ownership.StateUnproven:
		return q.decideActive(ctx, i, displacement{liveness: ownership.Unproven, needs: Force | AcceptUnproven})
	default:
		return q.decideActive(ctx, i, displacement{liveness: ownership.Gone, needs: Force})
	}
}

func (q request) look(ctx context.Context) (lease.Inspection, error) {
	switch {
	case q.seen != nil:
		return *q.seen, nil
	case q.looks != nil:
		i, err := q.looks.Inspect(ctx, q.Digest)
		i.Key = q.shown(i.Key)
		return i, err
	}
	return look(ctx, q.store, q.Target)
}

// displacement is what is known of the owner that a recovery displaces, and what a
// person has to agree to therefore.
type displacement struct {
	liveness  ownership.Verdict
	survivors []ownership.Survivor
	doubts    []ownership.Evidence // beyond the inspection's evidence
	needs     Consent
	settled   *Settled // nil where nobody is known to have owned the session
}

func (q request) force(d displacement) ownership.Force {
	f := ownership.Force{
		At: q.at, Actor: q.actor(), Reason: q.Reason, Liveness: d.liveness, Survivors: d.survivors, Evidence: q.manifest(),
	}
	if d.settled != nil {
		f.Outcome = d.settled.Outcome
	}
	return f
}

// decideActive recovers the ownership that an active record describes.
func (q request) decideActive(ctx context.Context, i lease.Inspection, d displacement) (attempt, error) {
	if q.Expect != i.Stored.Revision {
		return attempt{}, refuseMismatch(ctx, q.store, i, q.Expect)
	}
	d = q.doubted(d)
	d.settled = settledFor(ctx, q.store, i)
	record, err := ownership.Recover(i.Current(), q.force(d))
	if err != nil {
		return attempt{}, refuseLast(ctx, q.store, i, err)
	}
	a := attempt{seen: i, record: record, publish: displacing(q.store, i.Record.Generation), settled: d.settled}
	return q.consented(ctx, a, d)
}

// decideUnreadable sets aside what is no record. Nothing says which generation is in
// force, so a lock of any is a sign of life (I7), and the new generation is above
// every one that left a trace (I2).
func (q request) decideUnreadable(ctx context.Context, i lease.Inspection) (attempt, error) {
	store, ok := q.store.(lease.Quarantiner)
	if !ok {
		msg := "session " + i.Name() + " cannot be read, and this store cannot set its record aside"
		return attempt{}, refuse(ctx, q.store, i, ownership.ReasonUnreadableRecord, msg)
	}
	traces, err := lookForTraces(ctx, q.store, &i)
	if err != nil {
		return attempt{}, err
	}
	if len(traces.Held) > 0 {
		msg := fmt.Sprintf("session %s cannot be read, and somebody still holds a lock of it: %s", i.Name(), processes(i.Liveness.Holders))
		return attempt{}, refuse(ctx, q.store, i, ownership.ReasonActiveOwner, msg)
	}
	if q.Expect != i.Stored.Revision {
		return attempt{}, refuseMismatch(ctx, q.store, i, q.Expect)
	}
	return q.setAside(ctx, i, store, traces.Highest)
}

func (q request) setAside(ctx context.Context, i lease.Inspection, s lease.Quarantiner, traces ownership.Generation) (attempt, error) {
	highest, forgotten := q.floor(ctx, i.KeyDigest, traces)
	d := q.doubted(displacement{liveness: ownership.Unproven, needs: Force | Quarantine})
	if forgotten != nil {
		d.doubts = append(d.doubts, unremembered(forgotten))
	}
	next := highest + 1
	if highest == 0 {
		next = ownership.Generation(max(1, q.at.Time().Unix()))
	}
	if next > ownership.MaxGeneration {
		err := fmt.Errorf("generation %d is the last one", highest)
		return attempt{}, refuseLast(ctx, q.store, i, err)
	}
	record := ownership.Quarantine(i.KeyDigest, q.Expect, next, q.force(d))
	return q.consented(ctx, attempt{seen: i, record: record, publish: s.Quarantine, forgotten: forgotten}, d)
}

// consented encodes what would be published and returns the attempt if the person
// agreed to everything that it needs. The preview is made of that very record.
func (q request) consented(ctx context.Context, a attempt, d displacement) (attempt, error) {
	var err error
	if a.bytes, err = ownership.Encode(a.record); err != nil {
		return attempt{}, err
	}
	if !q.Consent.Has(d.needs) {
		return attempt{}, q.refuseUnforced(ctx, a, d)
	}
	return a, nil
}

// decideEnded refuses a session that nobody owns, unless it is idle by an earlier
// recovery of the same revision: then the very same bytes are published once more,
// so that they are durable whatever became of the first answer.
func (q request) decideEnded(ctx context.Context, i lease.Inspection) (attempt, error) {
	if !q.Consent.Has(Force) || !recoveredFrom(i.Record, q.Expect) {
		return attempt{}, refuseEnded(ctx, q.store, i, q.Expect)
	}
	a := attempt{seen: i, record: *i.Record, bytes: i.Stored.Bytes, publish: q.store.Publish, replay: true}
	a.settled = settledEarlier(ctx, q.store, i)
	return a, nil
}

// recoveredFrom reports whether r is exactly what a forced recovery of revision
// published.
func recoveredFrom(r *ownership.Record, revision ownership.Revision) bool {
	return r != nil && r.Release != nil && *r.Release == ownership.ReleaseForced && *r.PreviousRevision == revision
}

// refuse returns the refusal of a recovery, with what can be typed next.
func refuse(ctx context.Context, s lease.Store, i lease.Inspection, why ownership.Reason, msg string) *lease.Refusal {
	Explain(ctx, s, &i)
	return &lease.Refusal{Reason: why, Message: msg, Inspection: i}
}

// refuseLast refuses a session that has no generation left to give.
func refuseLast(ctx context.Context, s lease.Store, i lease.Inspection, err error) error {
	var transition *ownership.TransitionError
	if errors.As(err, &transition) {
		err = errors.New(transition.Why)
	}
	msg := fmt.Sprintf("session %s can have no further owner: %v; use another key", i.Name(), err)
	refusal := refuse(ctx, s, i, ownership.ReasonStoreUnavailable, msg)
	refusal.Inspection.Next = []lease.Next{LookAgain(i, "see its record"), listAll}
	return refusal
}
