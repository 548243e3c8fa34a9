package admin

import (
	"context"
	"time"

	"holdfast/internal/journal"
	"holdfast/lease"
	"holdfast/ownership"
)

// Acknowledge notes in the archive that a person knows what is missing in the history of
// a session, and why, and returns how many gaps that was. It mends nothing: history goes on
// telling them, and Doctor asks for nothing more. A gap that is acknowledged or known for
// other reasons is left alone, and so is all where something could not be read.
func Acknowledge(ctx context.Context, s lease.Store, t Target, actor, reason string) (int, error) {
	e := journal.Event{At: ownership.At(time.Now()), Event: EventAcknowledge, KeyDigest: &t.Digest, Actor: actor, Reason: reason}
	if e.Actor == "" {
		e.Actor = thisActor()
	}
	var missing []*ownership.Revision
	for told, err := range History(ctx, s, t) {
		switch {
		case err != nil:
			return 0, err
		case told.Record != nil:
			e.Key = told.Record.Key // a private one is not kept here either
		case told.Event == EventGap && told.gap.isOpen():
			missing = append(missing, told.Revision)
		}
	}
	for n, r := range missing {
		e.Revision = r
		if err := recordEvent(ctx, s, e); err != nil {
			return n, archiveFault(err)
		}
	}
	return len(missing), nil
}

// isOpen reports whether nobody said yet what is to become of a gap.
func (k gapKind) isOpen() bool { return k == gapMissing || k == gapBehind }

// known tells a gap that was acknowledged from others.
func (c *chronicle) known(kind gapKind, missing ownership.Revision) gapKind {
	if kind.isOpen() && c.acknowledged[missing] {
		return gapKnown
	}
	return kind
}

func (c *chronicle) noteKnown(e journal.Event) {
	var missing ownership.Revision // zero: of a record that calls itself the first, and is not
	if e.Revision != nil {
		missing = *e.Revision
	}
	c.acknowledged[missing] = true
}
