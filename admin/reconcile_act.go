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
		p.say(p.recover(f))
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

// said is what is to be told of a session.
type said struct {
	row Reconciled
	err error
}

// recover looks at a session once more, right before it is changed: long snapshots of
// others may have come before it. It tells nobody, so that many can do it at once.
func (p *pass) recover(f *finding) said {
	now, other := p.again(f)
	if other != nil {
		return *other
	}
	seen := now.seen
	r := Recovery{
		Target:  Target{Digest: seen.KeyDigest},
		Expect:  seen.Stored.Revision,
		Consent: Force, // and nothing else: what is unproven now is not recovered (I7)
		Actor:   reconciler(),
		Reason:  now.plan().reason,
		room:    p.room,
	}
	if namesWork(seen) {
		r.Snapshot = snapshotFor(workAtRisk(p.ctx, seen.Record.Session))
	} else if seen.Record.Session.Runtime == nil {
		r.seen = &seen // nothing that takes long has come between
	}
	receipt, err := Recover(p.ctx, p.store, r)
	if err != nil {
		return f.refused(r.asked(seen, err))
	}
	return p.recovered(f, receipt)
}

// again looks at a session once more. It returns what is to be told of one that failed, or
// is to be dealt with otherwise now; nil where there is still to be done what was decided.
func (p *pass) again(f *finding) (facts, *said) {
	began := probe.Now()
	seen, err := p.inspect(f.seen.KeyDigest)
	if err != nil {
		return facts{}, new(f.failed(err))
	}
	now := facts{seen: seen, began: began}
	p.gather(&now, probe.RuntimeOf)
	d := now.plan()
	if d.action != f.action {
		return facts{}, &said{row: rowFor(seen, d)}
	}
	return now, nil
}

func (p *pass) inspect(d ownership.Digest) (lease.Inspection, error) {
	if p.looks != nil {
		return p.looks.Inspect(p.ctx, d)
	}
	return lease.Inspect(p.ctx, p.store, d)
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

func (p *pass) recovered(f *finding, receipt Receipt) said {
	r := rowFor(f.seen, f.decision)
	r.Done, r.Outcome, r.Receipt = true, &receipt.Outcome, &receipt
	if receipt.Replayed { // this pass changed nothing
		r = rowFor(f.seen, notable(ReconcileLeave, "it was recovered at this moment, by "+receipt.Actor))
	}
	if _, ok := p.store.(historian); ok {
		_, r.Unarchived = archive(p.ctx, p.store, Target{Digest: f.seen.KeyDigest}, archiver{room: p.room, known: receipt.Revision})
	}
	return said{row: r}
}

// refused tells a session that changed under our hands from a failure.
func (f *finding) refused(err error) said {
	var refusal *lease.Refusal
	if !errors.As(err, &refusal) {
		return f.failed(err)
	}
	switch i := refusal.Inspection; refusal.Reason {
	case ownership.ReasonActiveOwner:
		return said{row: rowFor(i, notable(ReconcileAdopt, "it was acquired at this moment: "+refusal.Message))}
	case ownership.ReasonRevisionMismatch, ownership.ReasonNothingToRecover:
		return said{row: rowFor(i, notable(ReconcileLeave, "it changed at this moment: "+refusal.Message))}
	case ownership.ReasonForceRequired:
		return said{row: rowFor(i, waiting(ReconcileBlocked, refusal.Message))}
	default:
		return f.failed(err)
	}
}

// failed says why a session did not get its turn. What a refusal offers is what this
// pass wanted to do, in its name; a person looks first.
func (f *finding) failed(err error) said {
	var refusal *lease.Refusal
	if errors.As(err, &refusal) {
		refusal.Inspection.Next = []lease.Next{lookAtIt(refusal.Inspection)}
	}
	return said{Reconciled{Key: f.seen.Key, KeyDigest: f.seen.KeyDigest, State: f.seen.State, Action: f.action}, err}
}
