package lease

import (
	"context"

	"holdfast/ownership"
)

// Displacer is a [Store] whose life locks are kept where its records are, so that a
// forced recovery can be refused in the very step that would publish it.
type Displacer interface {
	// Displace is Publish, but for a life lock of generation displaced that anybody
	// holds: then it returns an error that wraps ErrHeld and nothing changed.
	Displace(ctx context.Context, hold Hold, previous ownership.Revision, displaced ownership.Generation, b []byte) error
}

// Concluder is a [Store] that can end a generation in the very step that publishes its
// last record.
type Concluder interface {
	// Conclude is Publish and, if it published, [Hold.Retire].
	Conclude(ctx context.Context, hold Hold, previous ownership.Revision, b []byte) error
}

// Witness is a [Hold] that read the record in the very step that took the lock.
type Witness interface {
	// Witnessed returns what was in the record's place then.
	Witnessed() Stored
}

// Superseder is a [Store] that does away with a hold while it waits for the only record
// that is published under it.
type Superseder interface {
	// Supersede is Publish of a record that says that nobody owns the session. Its
	// generation is over as soon as that is in force, so that no one will ask for its life
	// lock. [Hold.Retire] is still to be called.
	Supersede(ctx context.Context, hold Hold, previous ownership.Revision, b []byte) error
}
