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

	// Since yields what happened in the whole store from a time on, by the clocks of those
	// who did it, oldest first and what is of one millisecond in the order in which it was
	// done. It does not read what is older.
	Since(context.Context, time.Time) iter.Seq2[Happening, error]

	// Note keeps what an administrator did to a session. The same note of the same time
	// is one.
	Note(ctx context.Context, d ownership.Digest, at ownership.Timestamp, b []byte) error

	// Notes yields what was noted about a session, oldest first.
	Notes(context.Context, ownership.Digest) iter.Seq2[[]byte, error]
}

// Happening is one thing in the history of a store.
type Happening struct {
	Digest    ownership.Digest
	Published *Published // nil: a note
	Opens     bool       // Published is the first record of its generation
	Note      []byte     // nil: a record
}

// Recaller is a [Store] that can find out when a life lock went free. That costs more
// than a probe: it is asked for who looks at one session, and not for lists.
type Recaller interface {
	// Recall says when the life lock of the owner of an active record went free, as far as
	// can be told. It never fails: what cannot be found out is said in the line.
	Recall(context.Context, ownership.Record) ownership.Evidence
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
