package admin

import (
	"context"

	"holdfast/internal/journal"
	"holdfast/lease"
)

// Note makes durable in the store's archive what an administrator decided or did.
// History tells it. A store without an archive keeps its own.
func Note(ctx context.Context, s lease.Store, e journal.Event) error { return recordEvent(ctx, s, e) }

// ThisActor is who an administrator is where nobody says otherwise.
func ThisActor() string { return thisActor() }
