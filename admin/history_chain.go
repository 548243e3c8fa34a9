package admin

import (
	"fmt"
	"time"

	"holdfast/ownership"
)

// checkLink tells of a gap unless a record follows the one that was told before it.
func (c *chronicle) checkLink(p published) {
	unknown := c.unknown
	c.unknown = false
	var last ownership.Revision
	if c.last != nil {
		last = c.last.revision
	}
	if unknown || p.previous == last {
		return
	}
	why, kind := c.whyGap(p)
	c.gap(kind, p.previous, why)
}

// gapKind says what is known of what is missing.
type gapKind int

const (
	gapMissing gapKind = iota
	gapKept            // its bytes are in the record's place, or in quarantine
	gapBehind          // nothing is: an older record is in force again
	gapTurn            // nothing is: one was, and was followed by another
	gapKnown           // somebody acknowledged it
)

func (c *chronicle) gap(kind gapKind, missing ownership.Revision, why string) {
	e := Entry{Event: EventGap, Reason: &why, gap: c.known(kind, missing)}
	if !missing.IsZero() {
		e.Revision = &missing
	}
	c.entry(e)
}

// whyGap says how a record comes not to follow the one before it, and what is
// known of what is missing.
func (c *chronicle) whyGap(p published) (why string, kind gapKind) {
	if p.previous.IsZero() {
		return fmt.Sprintf("generation %d calls itself the first, and is not", p.generation), gapMissing
	}
	if r, err := ownership.Decode(p.bytes); err == nil && eventOf(r, nil) == EventQuarantine {
		return "what came before was no record; its bytes are in the store's quarantine", gapKept
	}
	switch {
	case c.deaf:
		return fmt.Sprintf("the record before generation %d is missing, or in the archive, which cannot be read", p.generation), gapMissing
	case c.setAside[p.previous]:
		return fmt.Sprintf("the record before generation %d was damaged; its bytes are in the store's quarantine", p.generation), gapKept
	case c.knows(p.previous):
		return fmt.Sprintf("generation %d follows an earlier record than the one before it: the store had gone back, as when a backup is put back", p.generation), gapTurn
	}
	return fmt.Sprintf("the record before generation %d is missing", p.generation), gapMissing
}

// checkNewest is for a record that the archive has already, or none: unless it is the
// newest that was ever published, the store went back. An archiving that took place after
// the record was read looks alike, so it is read once more.
func (c *chronicle) checkNewest() {
	if c.last == nil || c.last.revision == c.box.Current.Revision {
		return
	}
	now, err := c.store.Load(c.ctx, c.digest)
	if err != nil || now.Revision != c.box.Current.Revision {
		return // an error was met by the look at the outbox as well, or is met by the next
	}
	c.gap(gapBehind, c.last.revision, fmt.Sprintf("the store went back, as when a backup is put back: %s, and generation %d is known, which came later",
		c.inForce(), c.last.generation))
}

func (c *chronicle) inForce() string {
	if r := c.box.Current.Reading(c.digest).Record; r != nil {
		return fmt.Sprintf("an earlier record, of generation %d, is in force", r.Generation)
	}
	return "there is no record"
}

// knows looks for a record off its place. An archive that cannot be asked now was read
// a moment ago.
func (c *chronicle) knows(r ownership.Revision) bool {
	if known, err := c.journal.Knows(c.ctx, c.digest, r); known && err == nil {
		return true
	}
	for _, rev := range c.box.Past {
		if rev.Revision == r {
			return true
		}
	}
	return false
}

// entryOf makes an entry of a record, or says why its bytes are not that record's.
func entryOf(p published, before *ownership.Generation) (Entry, error) {
	if ownership.RevisionOf(p.bytes) != p.revision {
		return Entry{}, &ownership.FormatError{Why: "its bytes are not those of its revision"}
	}
	r, err := ownership.Decode(p.bytes)
	if err != nil {
		return Entry{}, err
	}
	event := eventOf(r, before)
	at := timeOf(r, event, p.at)
	e := Entry{
		At:               &at,
		Event:            event,
		Generation:       &r.Generation,
		Revision:         &p.revision,
		PreviousRevision: r.PreviousRevision,
		State:            &r.State,
		Release:          r.Release,
		Record:           &r,
	}
	e.Actor, e.Reason = doer(r, event)
	return e, nil
}

// eventOf says what published a record, given the generation before it.
func eventOf(r ownership.Record, before *ownership.Generation) string {
	switch {
	case r.Release != nil && *r.Release == ownership.ReleaseAcknowledged:
		return EventRelease
	case r.Release != nil && r.Owner == nil:
		return EventQuarantine
	case r.Release != nil:
		return EventRecover
	case before != nil && *before == r.Generation:
		return EventDescribe
	}
	return EventAcquire
}

// timeOf returns when a record was published: as it says itself, or when its file was
// written.
func timeOf(r ownership.Record, event string, written ownership.Timestamp) ownership.Timestamp {
	switch event {
	case EventAcquire:
		return r.Owner.AcquiredAt
	case EventRecover, EventQuarantine:
		return r.LastForcedRecovery.RecoveredAt
	}
	if late := r.Owner.AcquiredAt.Time().Sub(written.Time()); late > 0 && late < fileClockStep {
		return r.Owner.AcquiredAt
	}
	return written
}

// fileClockStep bounds how far the clock of files lies behind the one that a record names
// times of: it goes on with the timer's interrupt, which a virtual machine may get late.
const fileClockStep = time.Second

func doer(r ownership.Record, event string) (actor, reason *string) {
	if event == EventRecover || event == EventQuarantine {
		m := r.LastForcedRecovery
		if m.Reason != "" {
			reason = &m.Reason
		}
		return &m.Actor, reason
	}
	who := r.Owner.User + "@" + r.Owner.Host
	return &who, nil
}
