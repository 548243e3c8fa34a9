package admin

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"holdfast/internal/journal"
	"holdfast/lease"
	"holdfast/ownership"
)

// tellAllPublished tells what happened in a store that keeps all of its history.
func tellAllPublished(ctx context.Context, s lease.Chronicler, since time.Time, yield func(Entry, error) bool) {
	all := gathered{since: since, settled: map[ownership.Revision]*Settled{}}
	for h, err := range s.Since(ctx, since) {
		if err == nil {
			err = all.add(h)
		}
		if err != nil && !yield(aboutSession(h.Digest), err) {
			return
		}
	}
	slices.SortStableFunc(all.entries, func(a, b Entry) int { return cmp.Compare(a.At.Time().UnixNano(), b.At.Time().UnixNano()) })
	for _, e := range all.entries {
		if e.Event == EventRecover {
			e.Settled = all.settled[*e.Revision]
		}
		if !yield(e, nil) {
			return
		}
	}
}

func aboutSession(d ownership.Digest) (e Entry) {
	if d != (ownership.Digest{}) {
		e.KeyDigest = &d
	}
	return e
}

// gathered is what was told from a time on, without its records: there may be very many.
type gathered struct {
	since   time.Time
	entries []Entry
	settled map[ownership.Revision]*Settled // by recoveries, which their records tell
}

func (g *gathered) add(h lease.Happening) error {
	if h.Published == nil {
		g.note(h)
		return nil
	}
	p := published{revision: h.Published.Revision, at: h.Published.At, bytes: h.Published.Bytes}
	e, err := entryOf(p, nil)
	if err != nil {
		return unreadableIn("read history", h.Digest.String(), p.revision, err)
	}
	if e.Event == EventAcquire && !h.Opens {
		e.Event, e.At = EventDescribe, &p.at
	}
	e.Key, e.KeyDigest, e.Record = e.Record.Key, &h.Digest, nil
	g.keep(e)
	return nil
}

// note keeps what an administrator did. What is no note of ours says nothing (I12).
func (g *gathered) note(h lease.Happening) {
	var event journal.Event
	if json.Unmarshal(h.Note, &event) != nil {
		return
	}
	e := entryOfEvent(event)
	if hasRecord(event) {
		if e.Revision != nil {
			g.settled[*e.Revision] = e.Settled
		}
		return
	}
	e.KeyDigest = &h.Digest
	g.keep(e)
}

func (g *gathered) keep(e Entry) {
	if !e.At.Time().Before(g.since) {
		g.entries = append(g.entries, e)
	}
}
