package admin

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"holdfast/internal/journal"
	"holdfast/lease"
	"holdfast/lease/dirstore"
	"holdfast/ownership"
)

// HistoryOfAll yields what happened in the whole store from a time on, oldest first,
// each entry with its session. The zero time is the beginning. Chains are not followed:
// [History] does that for one session. An error comes with an Entry that has at most a
// KeyDigest and is about what could not be read; the history goes on after it. Nothing
// is changed (I8).
func HistoryOfAll(ctx context.Context, s lease.Store, since time.Time) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		if all, ok := s.(lease.Chronicler); ok {
			tellAllPublished(ctx, all, since, yield)
			return
		}
		h, err := historianOf(s)
		if err != nil {
			yield(Entry{}, err)
			return
		}
		a := &annals{ctx: ctx, store: h, journal: journal.At(h.JournalPath()), since: since, yield: yield}
		a.readOutboxes()
		slices.SortStableFunc(a.fresh, byTime)
		a.merge()
	}
}

// annals is the history of a store being told.
type annals struct {
	ctx     context.Context
	store   historian
	journal *journal.Journal
	since   time.Time
	yield   func(Entry, error) bool
	done    bool
	unread  error // why the archive could not be read

	fresh   []Entry                         // of the outboxes, oldest first
	settled map[ownership.Revision]*Settled // by recoveries whose records are still to be told
}

func byTime(a, b Entry) int {
	return cmp.Or(a.At.Time().Compare(b.At.Time()), cmp.Compare(*a.Generation, *b.Generation))
}

func (a *annals) fault(d ownership.Digest, err error) {
	var e Entry
	if d != (ownership.Digest{}) {
		e.KeyDigest = &d
	}
	a.done = a.done || !a.yield(e, archiveFault(err))
}

// readOutboxes gathers what is not archived. Of a session that was archived lately
// that is its current record.
func (a *annals) readOutboxes() {
	for d, err := range a.store.List(a.ctx) {
		if a.done {
			return
		}
		if err != nil {
			a.fault(d, err)
			continue
		}
		box, err := a.store.Outbox(a.ctx, d)
		if err != nil {
			a.fault(d, err)
			continue
		}
		for _, err := range box.Faults() {
			a.fault(d, err)
		}
		a.addOutbox(d, box)
	}
}

func (a *annals) addOutbox(d ownership.Digest, box dirstore.Outbox) {
	for n, rev := range box.Past {
		if a.isOlder(rev.WrittenAt) {
			continue
		}
		stored, err := a.store.ReadRev(a.ctx, d, rev.Revision)
		if err != nil {
			a.fault(d, err)
			continue
		}
		a.add(d, stored, rev.WrittenAt, before(box.Past, n))
	}
	if !a.isOlder(box.WrittenAt) {
		a.add(d, box.Current, box.WrittenAt, before(box.Past, len(box.Past)))
	}
}

// isOlder reports whether a file was written before everything that is to be told. What it
// holds names no later time, but for the clock of files.
func (a *annals) isOlder(written time.Time) bool {
	return written.Add(fileClockStep).Before(a.since)
}

// before returns the record before a position, or nil.
func before(revs []dirstore.Rev, n int) *dirstore.Rev {
	if n == 0 {
		return nil
	}
	return &revs[n-1]
}

// add keeps an entry without its record: there may be very many.
func (a *annals) add(d ownership.Digest, stored lease.Stored, written time.Time, last *dirstore.Rev) {
	if stored.Vacant() {
		return // archived meanwhile
	}
	reading := stored.Reading(d)
	if reading.Fault != nil {
		a.fault(d, unreadableIn("read history", a.store.RevPath(d, stored.Revision), stored.Revision, reading.Fault))
		return
	}
	r := reading.Record
	p := publishedAs(*r, stored, written)
	e, err := entryOf(p, a.generationBefore(d, p, last))
	if err != nil {
		a.fault(d, unreadableIn("read history", a.store.RevPath(d, p.revision), p.revision, err))
		return
	}
	e.Record, e.Key, e.KeyDigest = nil, r.Key, &d
	if !e.At.Time().Before(a.since) {
		a.fresh = append(a.fresh, e)
	}
}

// generationBefore does not ask an archive again that could not be read.
func (a *annals) generationBefore(d ownership.Digest, p published, last *dirstore.Rev) (g *ownership.Generation) {
	if a.unread == nil {
		rev := dirstore.Rev{Previous: p.previous, Generation: p.generation}
		g, a.unread = archiver{store: a.store, journal: a.journal, digest: d}.generationBefore(a.ctx, rev, last)
	}
	return g
}

// merge tells the archive and what is fresh in one order of time. What moved from the
// one to the other meanwhile is told once.
func (a *annals) merge() {
	a.settled = map[ownership.Revision]*Settled{}
	pending := map[ownership.Revision]bool{}
	for _, e := range a.fresh {
		pending[*e.Revision] = true
	}
	if a.unread != nil {
		a.fault(ownership.Digest{}, a.unread)
		a.tellFresh(time.Time{})
		return
	}
	for item, err := range a.journal.Since(a.ctx, ownership.At(a.since)) {
		if a.done {
			return
		}
		if err != nil {
			a.fault(ownership.Digest{}, err)
			break
		}
		e, err := entryOfItem(item)
		if err != nil {
			a.fault(item.Record.Digest, unreadableIn("read archive", a.journal.Path(), item.Record.Revision, err))
			continue
		}
		if item.Event != nil && hasRecord(*item.Event) {
			a.remember(e) // told by its record, which comes after it in the archive
			continue
		}
		if e.Record != nil && pending[*e.Revision] {
			continue // told by what is fresh
		}
		a.tellFresh(freshBefore(e))
		e.Record = nil
		a.entry(e)
	}
	a.tellFresh(time.Time{})
}

func (a *annals) remember(e Entry) {
	if e.Revision != nil && e.Settled != nil {
		a.settled[*e.Revision] = e.Settled
	}
}

func (a *annals) entry(e Entry) {
	if r := e.Revision; r != nil && a.settled[*r] != nil {
		e.Settled = a.settled[*r]
		delete(a.settled, *r)
	}
	a.done = a.done || !a.yield(e, nil)
}

// freshBefore is until when what is fresh comes before an archived entry. Within one moment a record of the archive is
// the older one, and an event was written by somebody who had seen what was there.
func freshBefore(e Entry) time.Time {
	if e.Record == nil {
		return e.At.Time().Add(time.Millisecond)
	}
	return e.At.Time()
}

// tellFresh tells what is fresh and older than a time, or all of it where that is zero.
func (a *annals) tellFresh(before time.Time) {
	for len(a.fresh) > 0 && (before.IsZero() || a.fresh[0].At.Time().Before(before)) {
		a.entry(a.fresh[0])
		a.fresh = a.fresh[1:]
	}
}

// unreadableIn says where a record is that cannot be read.
func unreadableIn(op, path string, r ownership.Revision, err error) error {
	return &lease.StoreError{Op: op, Path: path, Err: fmt.Errorf("revision %s: %w", r, err),
		Advice: "the history of that session by itself shows what is around it"}
}

func entryOfItem(item journal.Item) (Entry, error) {
	if item.Event != nil {
		return entryOfEvent(*item.Event), nil
	}
	r := item.Record
	e, err := entryOf(published{r.Generation, r.Revision, r.Previous, r.At, r.Bytes}, nil)
	if err != nil {
		return e, err
	}
	// An acquisition was archived with the time that it names itself.
	if e.Event == EventAcquire && r.At != *e.At {
		e.Event, e.At = EventDescribe, &r.At
	}
	e.Key, e.KeyDigest = e.Record.Key, &r.Digest
	return e, nil
}
