package plan

import (
	"context"
	"time"

	"holdfast/admin"
	"holdfast/internal/journal"
	"holdfast/ownership"
)

// What history tells of a plan.
const (
	EventApprove = "approve" // somebody approved an item
	EventApply   = "apply"   // what became of it
)

func (w *applying) note(ctx context.Context, what, reason string) error {
	at := time.Now()
	if made := w.plan.MadeAt.Time(); at.Before(made) {
		at = made // a clock that was set back must not make it look like an earlier plan's
	}
	e := journal.Event{
		At: ownership.At(at), Event: what, KeyDigest: &w.plan.KeyDigest, Generation: w.plan.Generation,
		PreviousRevision: &w.plan.Revision, Actor: w.report.Actor, Reason: reason,
	}
	if r := w.facts.seen.Record; r != nil {
		e.Key = r.Key // a private key is not kept here either
	}
	return admin.Note(ctx, w.store, e)
}
