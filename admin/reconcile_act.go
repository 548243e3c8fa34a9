package admin

import (
	"errors"
	"slices"

	"holdfast/internal/gitwork"
	"holdfast/internal/probe"
	"holdfast/internal/procid"
	"holdfast/lease"
	"holdfast/ownership"
)

// execute does what was decided about a session, where that was agreed to, and tells
// what came of it.
func (p *pass) execute(f *finding) {
	switch {
	case f.needs == 0:
		p.row(f.seen, f.decision)
	case !p.consent.Has(f.needs):
		p.propose(f)
	case f.action == ReconcileReap:
		p.reap(f)
	default:
		p.recover(f)
	}
}

// reconciler is who acts for the person that agreed.
func reconciler() string { return "reconcile@" + procid.ThisHost().Name }

// propose tells of what nobody agreed to; of a recovery, with the outcome that it would
// settle.
func (p *pass) propose(f *finding) {
	f.concern = Waiting
	r := rowFor(f.seen, f.decision)
	if f.action == ReconcileRecover {
		r.Outcome = &settledFor(p.ctx, p.store, f.seen).Outcome
	}
	p.tell(r, nil)
}

// recover looks at a session once more, right before it is changed: long snapshots of
// others may have come before it.
func (p *pass) recover(f *finding) {
	now, ok := p.again(f)
	if !ok {
		return
	}
	seen := now.seen
	receipt, err := Recover(p.ctx, p.store, Recovery{
		Target:   Target{Digest: seen.KeyDigest},
		Expect:   seen.Stored.Revision,
		Consent:  Force, // and nothing else: what is unproven now is not recovered (I7)
		Snapshot: snapshotFor(workAtRisk(p.ctx, seen.Record.Session)),
		Actor:    reconciler(),
		Reason:   now.plan().reason,
	})
	if err != nil {
		p.refused(f, err)
		return
	}
	p.recovered(f, receipt)
}

// again looks at a session once more. It tells of one that failed, or is to be dealt with
// otherwise now, and reports whether there is still to be done what was decided.
func (p *pass) again(f *finding) (facts, bool) {
	seen, err := lease.Inspect(p.ctx, p.store, f.seen.KeyDigest)
	if err != nil {
		p.failed(f, err)
		return facts{}, false
	}
	now := facts{seen: seen}
	p.gather(&now, probe.RuntimeOf)
	d := now.plan()
	if d.action != f.action {
		p.row(seen, d)
		return facts{}, false
	}
	return now, true
}

// snapshotFor saves the work unless all of it was looked into and is elsewhere too.
func snapshotFor(work []Work) SnapshotChoice {
	for _, w := range work {
		if w.Counts == nil || w.Counts.Any() || slices.ContainsFunc(w.Counts.Nested, wasSkipped) {
			return SnapshotDefault
		}
	}
	return SnapshotSkip
}

func wasSkipped(n gitwork.NestedRisk) bool { return n.Skipped != "" }

func (p *pass) recovered(f *finding, receipt Receipt) {
	r := rowFor(f.seen, f.decision)
	r.Done, r.Outcome, r.Receipt = true, &receipt.Outcome, &receipt
	if receipt.Replayed { // this pass changed nothing
		r = rowFor(f.seen, notable(ReconcileLeave, "it was recovered at this moment, by "+receipt.Actor))
	}
	if _, ok := p.store.(historian); ok {
		_, r.Unarchived = Archive(p.ctx, p.store, Target{Digest: f.seen.KeyDigest})
	}
	p.tell(r, nil)
}

// refused tells a session that changed under our hands from a failure.
func (p *pass) refused(f *finding, err error) {
	var refusal *lease.Refusal
	if !errors.As(err, &refusal) {
		p.failed(f, err)
		return
	}
	switch i := refusal.Inspection; refusal.Reason {
	case ownership.ReasonActiveOwner:
		p.row(i, notable(ReconcileAdopt, "it was acquired at this moment: "+refusal.Message))
	case ownership.ReasonRevisionMismatch, ownership.ReasonNothingToRecover:
		p.row(i, notable(ReconcileLeave, "it changed at this moment: "+refusal.Message))
	case ownership.ReasonForceRequired:
		p.row(i, waiting(ReconcileBlocked, refusal.Message))
	default:
		p.failed(f, err)
	}
}

// failed tells why a session did not get its turn. What a refusal offers is what this
// pass wanted to do, in its name; a person looks first.
func (p *pass) failed(f *finding, err error) {
	var refusal *lease.Refusal
	if errors.As(err, &refusal) {
		refusal.Inspection.Next = []lease.Next{lookAtIt(refusal.Inspection)}
	}
	p.tell(Reconciled{Key: f.seen.Key, KeyDigest: f.seen.KeyDigest, State: f.seen.State, Action: f.action}, err)
}
