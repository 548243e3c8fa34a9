package admin

import (
	"context"
	"errors"
	"iter"
	"time"

	"holdfast/internal/journal"
	"holdfast/lease"
	"holdfast/lease/dirstore"
	"holdfast/ownership"
)

// What an [Entry] tells of.
const (
	EventAcquire     = "acquire"
	EventDescribe    = "describe" // the owner changed facts about the session
	EventRelease     = "release"
	EventRecover     = "recover"
	EventQuarantine  = "quarantine"
	EventPrune       = "prune"
	EventReap        = "reap"        // what ran a session that nobody owned was destroyed
	EventSetAside    = "set-aside"   // a damaged file of history went into quarantine
	EventAcknowledge = "acknowledge" // somebody knows of a gap
	EventGap         = "gap"         // something is missing between its neighbours; Reason says what
)

// Entry is one line of history: a record that was published, something that an
// administrator did, or a gap. Members that do not apply are nil.
type Entry struct {
	At               *ownership.Timestamp   `json:"at"`
	Event            string                 `json:"event"`
	Generation       *ownership.Generation  `json:"generation"`
	Revision         *ownership.Revision    `json:"revision"` // of a gap: the one that is missing, or is in force again
	PreviousRevision *ownership.Revision    `json:"previousRevision"`
	State            *ownership.RecordState `json:"state"`
	Release          *ownership.Release     `json:"release"`
	Actor            *string                `json:"actor"`
	Reason           *string                `json:"reason"`

	// Settled is what a recovery found that the displaced execution had achieved; nil
	// where that is no recovery, or the archive does not know.
	Settled *Settled `json:"settled,omitempty"`

	// Key and KeyDigest are set where entries of several sessions come together.
	Key       *string           `json:"key,omitempty"`
	KeyDigest *ownership.Digest `json:"keyDigest,omitempty"`

	Record *ownership.Record `json:"-"` // what was published

	gap gapKind
}

// historian is a store that keeps history in files, from which it can be archived.
type historian interface {
	lease.Store
	JournalPath() string
	Outbox(context.Context, ownership.Digest) (dirstore.Outbox, error)
	ReadRev(context.Context, ownership.Digest, ownership.Revision) (lease.Stored, error)
	Forget(context.Context, ownership.Digest, []ownership.Revision, ownership.Revision) error
	ForgetStrays(context.Context, ownership.Digest, ownership.Revision, []ownership.Revision) error
	RevPath(ownership.Digest, ownership.Revision) string
}

func historianOf(s lease.Store) (historian, error) {
	h, ok := s.(historian)
	if !ok {
		return nil, &lease.StoreError{Kind: lease.ErrStoreUnavailable, Op: "read history",
			Err: errors.New("this store keeps no history")}
	}
	return h, nil
}

// History yields every record of a session that was ever published, oldest first, from
// the archive and from the session's own files, with what administrators did to it in
// between (I11). It follows the chain of previous revisions and yields a gap wherever
// that is broken. An error comes with the zero Entry and is about what could not be
// read; the history goes on after it. Nothing is changed (I8).
func History(ctx context.Context, s lease.Store, t Target) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		if all, ok := s.(lease.Chronicler); ok {
			tellPublished(ctx, all, t.Digest, yield)
			return
		}
		h, err := historianOf(s)
		if err != nil {
			yield(Entry{}, err)
			return
		}
		c := &chronicle{ctx: ctx, store: h, journal: journal.At(h.JournalPath()), digest: t.Digest, yield: yield}
		c.tell()
	}
}

// chronicle is one history being told.
type chronicle struct {
	ctx     context.Context
	store   historian
	journal *journal.Journal
	digest  ownership.Digest
	yield   func(Entry, error) bool
	done    bool // nobody listens any more

	box          dirstore.Outbox
	told         map[ownership.Revision]bool         // of the outbox, from the archive
	fresh        map[ownership.Revision]dirstore.Rev // the outbox with the current record
	events       []journal.Event                     // not told yet, oldest first
	setAside     map[ownership.Revision]bool         // damaged files that are in quarantine
	acknowledged map[ownership.Revision]bool         // missing, and known to be
	last         *published                          // told latest
	later        []published                         // of other lines, see turn; without their bytes
	unknown      bool                                // what came before the next record could not be read
	deaf         bool                                // the archive could not be read: it is not asked again
}

// published is a record with its place in the chain.
type published struct {
	generation         ownership.Generation
	revision, previous ownership.Revision
	at                 ownership.Timestamp // when it was archived with, or its file was written
	bytes              []byte
}

// tell reads the outbox before the archive: what moves meanwhile is seen twice, and
// told once.
func (c *chronicle) tell() {
	var err error
	if c.box, err = c.store.Outbox(c.ctx, c.digest); err != nil {
		c.fault(err)
		return
	}
	for _, err := range c.box.Faults() {
		c.fault(err)
	}
	c.told, c.setAside = map[ownership.Revision]bool{}, map[ownership.Revision]bool{}
	c.acknowledged = map[ownership.Revision]bool{}
	c.fresh = freshIn(c.box, c.digest)
	c.readEvents()
	c.tellArchive()
	c.tellPast()
	c.tellCurrent()
	c.turn()
	c.tellEvents(nil)
}

func (c *chronicle) fault(err error) { c.done = c.done || !c.yield(Entry{}, archiveFault(err)) }

func (c *chronicle) entry(e Entry) { c.done = c.done || !c.yield(e, nil) }

// unread remembers that the archive could not be read: what follows may have had a
// predecessor there.
func (c *chronicle) unread(err error) {
	c.unknown, c.deaf = true, true
	c.fault(err)
}

func (c *chronicle) tellArchive() {
	if c.deaf {
		return
	}
	for r, err := range c.journal.Records(c.ctx, c.digest) {
		if c.done {
			return
		}
		if err != nil {
			c.unread(err)
			return
		}
		if c.told[r.Revision] {
			continue
		}
		c.told[r.Revision] = true
		c.record(published{r.Generation, r.Revision, r.Previous, r.At, r.Bytes})
	}
}

func (c *chronicle) tellPast() {
	for _, rev := range c.box.Past {
		c.tellRev(rev)
	}
}

// tellRev tells a record of the outbox, once.
func (c *chronicle) tellRev(rev dirstore.Rev) {
	if c.done || c.told[rev.Revision] {
		return
	}
	c.told[rev.Revision] = true
	b, err := c.bytesOf(rev.Generation, rev.Revision)
	if err != nil {
		c.unread(err)
		return
	}
	c.record(published{rev.Generation, rev.Revision, rev.Previous, ownership.At(rev.WrittenAt), b})
}

// bytesOf reads a record that may have been archived since it was listed.
func (c *chronicle) bytesOf(g ownership.Generation, r ownership.Revision) ([]byte, error) {
	if r == c.box.Current.Revision {
		return c.box.Current.Bytes, nil
	}
	stored, err := c.store.ReadRev(c.ctx, c.digest, r)
	if err != nil || !stored.Vacant() {
		return stored.Bytes, err
	}
	found, _, err := c.journal.Find(c.ctx, c.digest, g, r)
	return found.Bytes, err
}

func (c *chronicle) tellCurrent() {
	current := c.box.Current
	if c.done {
		return
	}
	if current.Vacant() || c.told[current.Revision] {
		c.turn()
		c.checkNewest()
		return
	}
	reading := current.Reading(c.digest)
	if reading.Fault != nil {
		c.turn()
		c.gap(gapKept, current.Revision, "what is in the record's place is no record: "+reading.Fault.Error())
		return
	}
	c.record(publishedAs(*reading.Record, current, c.box.WrittenAt))
}

func publishedAs(r ownership.Record, s lease.Stored, written time.Time) published {
	p := published{generation: r.Generation, revision: s.Revision, at: ownership.At(written), bytes: s.Bytes}
	if r.PreviousRevision != nil {
		p.previous = *r.PreviousRevision
	}
	return p
}

// record tells of one record when its turn has come.
func (c *chronicle) record(p published) {
	c.bring(p.previous)
	if len(c.later) > 0 && p.generation > c.last.generation+1 {
		c.turn() // nothing follows what was told last
	}
	switch {
	case c.done:
	case c.ofAnotherLine(p):
		p.bytes = nil
		c.later = append(c.later, p)
	default:
		c.follow(p)
	}
}

// follow tells of one record, after what is missing before it.
func (c *chronicle) follow(p published) {
	c.checkLink(p)
	var before *ownership.Generation
	if c.last != nil && c.last.revision == p.previous { // after a restored backup a generation comes twice
		before = &c.last.generation
	}
	e, err := entryOf(p, before)
	p.bytes = nil
	c.last = &p
	if err != nil {
		c.gap(gapMissing, p.revision, "it is damaged: "+err.Error())
		return
	}
	c.tellEvents(e.At)
	e.Settled = c.dropEvent(p.revision)
	c.entry(e)
}
