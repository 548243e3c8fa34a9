package admin

import (
	"context"
	"iter"

	"holdfast/admin/settle"
	"holdfast/internal/journal"
	"holdfast/lease"
	"holdfast/ownership"
)

// Settled is what the execution that a forced recovery displaced achieved, as far as it
// was settled then. Its outcome is in the record's marker; the rest is evidence, which
// the archive keeps.
type Settled struct {
	Outcome     ownership.Outcome    `json:"outcome"`
	DecidedBy   string               `json:"decidedBy"`   // verdict, agent or none
	Source      *string              `json:"source"`      // nil where nobody decided
	Reason      string               `json:"reason"`      // not that of the recovery
	CompletedAt *ownership.Timestamp `json:"completedAt"` // when the agent stopped writing; nil where that is not known
	Notes       []string             `json:"notes"`       // what was ignored, and why; never nil
}

// settledFor settles what a recovery of the inspected session displaces. It changes
// nothing (I8) and never fails: what could not be asked is a note.
func settledFor(ctx context.Context, s lease.Store, i lease.Inspection) *Settled {
	o := settle.OutcomeFor(ctx, s, i)
	found := Settled{Outcome: o.Outcome, DecidedBy: string(o.DecidedBy), Reason: o.Reason, CompletedAt: o.CompletedAt, Notes: o.Notes}
	if o.Source != nil {
		found.Source = new(string(*o.Source))
	}
	return &found
}

// settledAs returns what an archived event says was settled, or nil.
func settledAs(e journal.Event) *Settled {
	if e.Settled == nil {
		return nil
	}
	s := Settled(*e.Settled)
	return &s
}

// settledEarlier returns what the recovery settled that published the record of an
// inspection. Where that was killed before its event, or has not come to it yet, it is
// settled once more, and counts if it comes to the outcome in the marker.
func settledEarlier(ctx context.Context, s lease.Store, i lease.Inspection) *Settled {
	if i.Record.Owner == nil {
		return nil
	}
	if known := archived(ctx, s, i); known != nil {
		return known
	}
	again := settledFor(ctx, s, i)
	if again.Outcome != i.Record.LastForcedRecovery.Outcome {
		return nil
	}
	return again
}

// archived looks for what the archive knows of a recovery: nil where it knows nothing,
// or cannot be asked.
func archived(ctx context.Context, s lease.Store, i lease.Inspection) *Settled {
	for e, err := range eventsAbout(ctx, s, i.KeyDigest) {
		if err != nil {
			return nil
		}
		if hasRecord(e) && e.Revision != nil && *e.Revision == i.Stored.Revision {
			return settledAs(e)
		}
	}
	return nil
}

// eventsAbout are what administrators did to a session, wherever its store keeps them.
func eventsAbout(ctx context.Context, s lease.Store, d ownership.Digest) iter.Seq2[journal.Event, error] {
	if own, ok := s.(lease.Chronicler); ok {
		return notesOf(ctx, own, d)
	}
	if h, ok := s.(historian); ok {
		return journal.At(h.JournalPath()).Events(ctx, d)
	}
	return func(func(journal.Event, error) bool) {}
}
