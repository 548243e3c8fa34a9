package admin

import (
	"context"
	"slices"

	"holdfast/internal/journal"
	"holdfast/internal/procid"
	"holdfast/lease"
	"holdfast/ownership"
)

// recordEvent makes durable in the archive what an administrator did. A store without
// an archive keeps its own.
func recordEvent(ctx context.Context, s lease.Store, e journal.Event) error {
	if own, ok := s.(lease.Chronicler); ok {
		return note(ctx, own, e)
	}
	h, ok := s.(historian)
	if !ok {
		return nil
	}
	return journal.At(h.JournalPath()).Note(ctx, e)
}

// recoveryEvent is what the archive keeps of a forced recovery. The record's marker is
// the truth about it; this is found also when the record is lost. A private key is not
// kept here either.
func recoveryEvent(r ownership.Record, revision ownership.Revision, settled *Settled) journal.Event {
	m := r.LastForcedRecovery
	e := journal.Event{
		At:               m.RecoveredAt,
		Event:            eventOf(r, nil),
		Key:              r.Key,
		KeyDigest:        &r.KeyDigest,
		Generation:       &r.Generation,
		Revision:         &revision,
		PreviousRevision: &m.PreviousRevision,
		Actor:            m.Actor,
		Reason:           m.Reason,
	}
	if settled != nil {
		e.Settled = new(journal.Settled(*settled))
	}
	return e
}

// thisActor is who an administrator is where nobody says otherwise.
func thisActor() string { return procid.UserName() + "@" + procid.ThisHost().Name }

func entryOfEvent(e journal.Event) Entry {
	entry := Entry{
		At:               &e.At,
		Event:            e.Event,
		Generation:       e.Generation,
		Revision:         e.Revision,
		PreviousRevision: e.PreviousRevision,
		Key:              e.Key,
		KeyDigest:        e.KeyDigest,
		Settled:          settledAs(e),
	}
	if e.Actor != "" {
		entry.Actor = &e.Actor
	}
	if e.Reason != "" {
		entry.Reason = &e.Reason
	}
	return entry
}

// readEvents gathers what administrators did to the session.
func (c *chronicle) readEvents() {
	for e, err := range c.journal.Events(c.ctx, c.digest) {
		if err != nil {
			c.unread(err)
			return
		}
		c.events = append(c.events, e)
		if e.Event == EventSetAside && e.Revision != nil {
			c.setAside[*e.Revision] = true
		}
		if e.Event == EventAcknowledge {
			c.noteKnown(e)
		}
	}
}

// tellEvents tells what happened before a time, or all that is left. A recovery is
// told by its record, and only by its event where that is missing.
func (c *chronicle) tellEvents(before *ownership.Timestamp) {
	var kept []journal.Event
	for _, e := range c.events {
		if before != nil && (hasRecord(e) || !e.At.Time().Before(before.Time())) {
			kept = append(kept, e)
			continue
		}
		entry := entryOfEvent(e)
		entry.Key, entry.KeyDigest = nil, nil
		c.entry(entry)
	}
	c.events = kept
}

func hasRecord(e journal.Event) bool { return e.Event == EventRecover || e.Event == EventQuarantine }

// dropEvent takes out what is told by its record, and returns what was settled then.
func (c *chronicle) dropEvent(r ownership.Revision) (settled *Settled) {
	c.events = slices.DeleteFunc(c.events, func(e journal.Event) bool {
		told := hasRecord(e) && e.Revision != nil && *e.Revision == r
		if told && settled == nil {
			settled = settledAs(e)
		}
		return told
	})
	return settled
}
