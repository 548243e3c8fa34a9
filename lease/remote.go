package lease

import (
	"context"
	"iter"
	"time"

	"holdfast/ownership"
)

// Published is a record that was in force once, or is.
type Published struct {
	Stored
	At ownership.Timestamp // when, by its publisher's clock; zero: not known
}

// Chronicler is a [Store] that keeps all of its history where its records are, and needs
// no archive beside it.
type Chronicler interface {
	Store

	// Published yields every record of a session, oldest first, the current one last.
	Published(context.Context, ownership.Digest) iter.Seq2[Published, error]

	// Note keeps what an administrator did to a session. The same note of the same time
	// is one.
	Note(ctx context.Context, d ownership.Digest, at ownership.Timestamp, b []byte) error

	// Notes yields what was noted about a session, oldest first.
	Notes(context.Context, ownership.Digest) iter.Seq2[[]byte, error]
}

// Notifier is a [Store] that tells of changes as they happen, so that nobody has to look
// again and again.
type Notifier interface {
	// Changes tells of every session whose record or life locks change after it returned;
	// with only, of that session alone. The channel is closed when ctx is done, or when a
	// change may have been missed.
	Changes(ctx context.Context, only *ownership.Digest) (<-chan ownership.Digest, error)
}

// Check is one thing that a store found out about what it rests on.
type Check struct {
	Name    string // stable word for what was checked
	Problem bool
	Detail  string
	Next    []Next // what to type; at least one with a problem
}

// Examiner is a [Store] that can look at its own condition. It changes nothing (I8).
type Examiner interface {
	Examine(context.Context) ([]Check, error)
}

// Swept is one thing that nobody needs any more.
type Swept struct {
	Kind string
	Path string
}

// Sweeper is a [Store] in which crashed owners leave something behind.
type Sweeper interface {
	// Sweep removes from a session what nobody needs any more and was written before a
	// time (zero: whenever), or with remove unset only says what that is.
	Sweep(ctx context.Context, d ownership.Digest, before time.Time, remove bool) ([]Swept, error)
}
