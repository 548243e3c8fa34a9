package admin

import (
	"context"
	"iter"

	"holdfast/internal/journal"
	"holdfast/lease"
	"holdfast/ownership"
)

// Note makes durable in the store's archive what an administrator decided or did.
// History tells it. A store without an archive keeps its own.
func Note(ctx context.Context, s lease.Store, e journal.Event) error { return recordEvent(ctx, s, e) }

// Noted is what was noted about a session, oldest first. It ends with the first error: what follows is not known then. Of
// a store without an archive nothing is known.
func Noted(ctx context.Context, s lease.Store, d ownership.Digest) iter.Seq2[journal.Event, error] {
	return eventsAbout(ctx, s, d)
}

// ThisActor is who an administrator is where nobody says otherwise.
func ThisActor() string { return thisActor() }
