package lease

import (
	"context"

	"holdfast/ownership"
)

// MaxVerdictSize is the largest size of a stored verdict in bytes.
const MaxVerdictSize = 256 << 10

// Verdicts is a [Store] that also keeps the latest verdict on each session: what an
// orchestrator decided that an execution achieved. Bytes in, bytes out: package
// admin/settle knows the format. A verdict never changes who owns a session.
type Verdicts interface {
	// Verdict returns what is in the verdict's place; the zero Stored is none. What
	// cannot be a verdict, since it is too large or no file of ours, comes back with its
	// Fault set and a revision that tells it apart. An error means that it could not be
	// asked, which is never "none".
	Verdict(context.Context, ownership.Digest) (Stored, error)

	// SetVerdict replaces the verdict in one step while the record of the session is
	// still the one whose revision is record, so that a late writer never covers the
	// verdict of a later generation. It returns nil when b is durable; otherwise an error
	// that wraps ErrConflict (another record is there, or none), ErrOutcomeUnknown, or
	// none of them: a definite failure that changed nothing, such as an
	// [*ownership.FieldError] for more than MaxVerdictSize bytes.
	SetVerdict(ctx context.Context, d ownership.Digest, record ownership.Revision, b []byte) error

	// ClearVerdict removes the verdict whose revision is seen. Its errors are those of
	// SetVerdict; ErrConflict means that another verdict is there, or none.
	ClearVerdict(ctx context.Context, d ownership.Digest, seen ownership.Revision) error
}
