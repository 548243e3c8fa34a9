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
