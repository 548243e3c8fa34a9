package admin

import (
	"context"
	"encoding/json"
	"iter"

	"holdfast/internal/journal"
	"holdfast/lease"
	"holdfast/ownership"
)

// noArchive is what a store has that keeps its history itself.
func noArchive() *journal.Journal { return journal.At("") }

// tellPublished tells the history of a session whose store keeps all of it.
func tellPublished(ctx context.Context, s lease.Chronicler, d ownership.Digest, yield func(Entry, error) bool) {
	c := &chronicle{ctx: ctx, journal: noArchive(), digest: d, yield: yield, setAside: map[ownership.Revision]bool{}}
	for e, err := range notesOf(ctx, s, d) {
		if err != nil {
			c.fault(err)
			break
		}
		c.events = append(c.events, e)
	}
	for p, err := range s.Published(ctx, d) {
		if c.done {
			return
		}
		if err != nil {
			c.unread(err)
			continue
		}
		c.record(publishedThen(p, d))
	}
	c.tellEvents(nil)
}

func publishedThen(p lease.Published, d ownership.Digest) published {
	r := p.Reading(d).Record
	if r == nil {
		return published{revision: p.Revision, at: p.At, bytes: p.Bytes}
	}
	return publishedAs(*r, p.Stored, p.At.Time())
}

// notesOf reads what administrators noted. What is no note of ours says nothing (I12).
func notesOf(ctx context.Context, s lease.Chronicler, d ownership.Digest) iter.Seq2[journal.Event, error] {
	return func(yield func(journal.Event, error) bool) {
		for b, err := range s.Notes(ctx, d) {
			var e journal.Event
			if err == nil && json.Unmarshal(b, &e) != nil {
				continue
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

func note(ctx context.Context, s lease.Chronicler, e journal.Event) error {
	if e.KeyDigest == nil {
		return nil // about no session
	}
	b, err := json.Marshal(e)
	if err != nil {
		return err
	}
	return s.Note(ctx, *e.KeyDigest, e.At, b)
}

// pruneLeftovers prunes a store that keeps all of its history.
func pruneLeftovers(ctx context.Context, s lease.Store, sweeper lease.Sweeper, p Pruning, yield func(Pruned, error) bool) {
	for d, err := range s.List(ctx) {
		var swept []lease.Swept
		if err == nil {
			swept, err = sweeper.Sweep(ctx, d, p.Before, p.Mode == PruneDo)
		}
		if err != nil && !yield(Pruned{KeyDigest: &d}, err) {
			return
		}
		for _, l := range swept {
			if !yield(Pruned{KeyDigest: &d, Action: PruneRemove, Kind: l.Kind, Count: 1, Path: &l.Path}, nil) {
				return
			}
		}
	}
	if err := context.Cause(ctx); err != nil {
		yield(Pruned{}, err)
	}
}

// examined are the checks of a store that looks at what it rests on.
func examined(ctx context.Context, s lease.Examiner) ([]Finding, error) {
	checks, err := s.Examine(ctx)
	var all []Finding
	for _, c := range checks {
		all = append(all, Finding{Check: c.Name, Checked: true, Problem: c.Problem, Detail: c.Detail, Next: c.Next})
	}
	return all, err
}
