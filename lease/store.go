package lease

import (
	"context"
	"iter"
	"os"

	"holdfast/ownership"
)

// Store keeps the record of each session, the history of its records, the locks of
// its generations and the latest pulse of its owner: bytes in, bytes out.
//
// An implementation keeps these promises, which internal/storetest tests:
//
//   - Reading (Load, List, Probe, Holders, Past, Pulse) writes nothing, takes no
//     exclusive lock and creates nothing, not even the store (I8).
//   - Hold is exclusive across every process that shares the store, and ends by
//     itself when its holder dies.
//   - Publish is one compare-and-publish, atomic against every other one (I6), and
//     durable when it returns nil.
//   - An error that is neither ErrOutcomeUnknown nor wraps it means that nothing
//     changed (I9).
//   - "Could not ask" is an error or an unknown finding, never absence.
type Store interface {
	// Identity is the same for every handle of this process on one store, from before
	// the store exists. Computing it is cheap.
	Identity() string

	// Load returns the bytes in the record's place. The zero Stored is a vacant
	// session. What cannot be a record comes back with its Fault set, not as an error.
	Load(context.Context, ownership.Digest) (Stored, error)

	// List yields the digest of every session that left a trace, in no promised
	// order, and goes on past what it cannot read.
	List(context.Context) iter.Seq2[ownership.Digest, error]

	// Hold takes the life lock of a generation without waiting. It returns an error
	// that wraps ErrHeld when somebody has it.
	Hold(context.Context, ownership.Digest, ownership.Generation) (Hold, error)

	// Probe looks for signs of life of the owner of an active record. It does not name
	// the holders of locks. Callers load again afterwards: a verdict other than alive
	// counts only for bytes that did not change meanwhile ([Inspect] does it).
	Probe(context.Context, ownership.Record) (ownership.Liveness, error)

	// Holders names the processes that hold a lock of a generation. It costs
	// milliseconds.
	Holders(context.Context, ownership.Digest, ownership.Generation, ownership.Lock) ([]ownership.Process, error)

	// Publish replaces the record whose revision is previous (zero: none) by b. It
	// returns nil when b is durable; otherwise an error that wraps ErrConflict (another
	// record is there), ErrOwnershipLost (hold no longer excludes), ErrOutcomeUnknown,
	// or none of them: a definite failure that changed nothing.
	Publish(ctx context.Context, hold Hold, previous ownership.Revision, b []byte) error

	// Past yields the records that were published before the current one and are not
	// archived, newest first.
	Past(context.Context, ownership.Digest) iter.Seq2[Stored, error]

	// Pulse returns the bytes of the latest pulse, or nil.
	Pulse(context.Context, ownership.Digest) ([]byte, error)

	// SetPulse replaces the pulse. It is evidence: not durable, guarded by nothing.
	SetPulse(context.Context, ownership.Digest, []byte) error
}

// Hold is a held life lock of one generation.
type Hold interface {
	Digest() ownership.Digest
	Generation() ownership.Generation

	// Kin takes the generation's kin lock and returns the one descriptor that carries
	// it, close-on-exec, for children to inherit; nil where the store has no such lock.
	// The hold keeps no other copy: whoever has the file closes it.
	Kin() (*os.File, error)

	// KinHeld reports whether anybody holds the generation's kin lock. A child of this
	// process on its way from fork to exec is waited for, and does not count.
	KinHeld() (bool, error)

	// Watch blocks until this hold or what was published under it is no longer in
	// force, be it that this came about before the call, and returns an error that wraps ErrOwnershipLost, or until ctx is done and
	// returns its error. Nothing else ends it.
	Watch(context.Context) error

	// Retire ends a generation that this hold published: its names go, then its lock.
	Retire() error

	// Drop frees the lock and leaves the names: for a claim that was not published, or
	// a session left stranded on purpose.
	Drop() error
}

// Stored is what a store has in the place of a record.
type Stored struct {
	Bytes    []byte             // nil when vacant or when Fault is set
	Revision ownership.Revision // of all the bytes; zero when vacant
	Fault    error              // why this is no record, known before decoding
}

// Vacant reports whether nothing is there.
func (s Stored) Vacant() bool { return s.Revision.IsZero() && s.Fault == nil }

// Reading decodes what is stored for session d.
func (s Stored) Reading(d ownership.Digest) ownership.Reading {
	switch {
	case s.Fault != nil:
		return ownership.Reading{Fault: s.Fault}
	case s.Vacant():
		return ownership.Reading{}
	}
	r, err := ownership.Decode(s.Bytes)
	if err != nil {
		return ownership.Reading{Fault: err}
	}
	if r.KeyDigest != d {
		return ownership.Reading{Fault: &ownership.FormatError{Why: "it belongs to session " + r.KeyDigest.String()}}
	}
	return ownership.Reading{Record: &r}
}

// Quarantiner is a [Store] whose records can be damaged in place.
type Quarantiner interface {
	// Traces looks at everything that is left of a session, whatever its record.
	Traces(context.Context, ownership.Digest) (Traces, error)

	// Quarantine keeps the bytes whose revision is displaced, byte for byte and
	// durably, and publishes b over them. Its errors are those of Publish.
	Quarantine(ctx context.Context, hold Hold, displaced ownership.Revision, b []byte) error
}

// Traces is what a damaged session left beside its record.
type Traces struct {
	Highest ownership.Generation // the highest generation that anything names; 0: none
	Held    []HeldLock           // locks of any generation that somebody holds
}

// HeldLock is a lock that somebody holds.
type HeldLock struct {
	Lock       ownership.Lock
	Generation ownership.Generation
}
