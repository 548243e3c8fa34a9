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
	case f.action != ReconcileRecover:
		p.row(f.seen, f.decision)
	case !p.consent.Has(PassRecover):
		p.propose(f)
	default:
		p.recover(f)
	}
}

// propose tells of a recovery that nobody agreed to, with the outcome that it would
// settle.
func (p *pass) propose(f *finding) {
	f.concern = Waiting
	r := rowFor(f.seen, f.decision)
	r.Outcome = &settledFor(p.ctx, p.store, f.seen).Outcome
	p.tell(r, nil)
}

// recover looks at a session once more, right before it is changed: long snapshots of
// others may have come before it.
func (p *pass) recover(f *finding) {
	seen, err := lease.Inspect(p.ctx, p.store, f.seen.KeyDigest)
	if err != nil {
		p.failed(f, err)
		return
	}
	now := facts{seen: seen}
	p.gather(&now, probe.Runtime)
	d := now.plan()
	if d.action != ReconcileRecover {
		p.row(seen, d)
		return
	}
	receipt, err := Recover(p.ctx, p.store, Recovery{
		Target:   Target{Digest: seen.KeyDigest},
		Expect:   seen.Stored.Revision,
		Consent:  Force, // and nothing else: what is unproven now is not recovered (I7)
		Snapshot: snapshotFor(workAtRisk(p.ctx, seen.Record.Session)),
		Actor:    "reconcile@" + procid.ThisHost().Name,
		Reason:   d.reason,
	})
	if err != nil {
		p.refused(f, err)
		return
	}
	p.recovered(f, receipt)
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
	r.Outcome, r.Receipt = &receipt.Outcome, &receipt
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
