package dirstore

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"holdfast/ownership"
)

// SweepMode says whether a sweep removes what it finds.
type SweepMode int

// A look takes no lock that could refuse anybody, and changes nothing (I8).
const (
	SweepLook SweepMode = iota
	SweepRemove
)

// Swept is one leftover that a sweep found.
type Swept struct {
	Leftover
	Kept string // why it is not removed; "" where it is, or would be
}

// Sweep removes what dead owners and claimants of a session left, if it was made before
// a time (zero: all): lock files and unfinished publishes of any generation but the
// active one, and the unfinished publish of an active generation whose owner is gone.
// What somebody holds is kept, and so is everything of a session whose record cannot
// be read. Rev files are not its business.
//
// A generation's names are removed under its life lock, after a look at the record
// that this lock keeps true: nobody can publish the generation meanwhile (I3), and one
// that was published active keeps its names, since a stranded session whose life file
// is missing is unproven for ever.
func (s *Store) Sweep(ctx context.Context, d ownership.Digest, before time.Time, mode SweepMode) ([]Swept, error) {
	x, err := s.openSession(d)
	if x == nil {
		return nil, err
	}
	defer x.Close()
	w := &sweeper{store: s, x: x, digest: d, before: before, mode: mode}
	err = w.sweep(ctx)
	return w.found, s.failed("sweep", s.at(sessionsName, d.String()), err)
}

// sweeper sweeps one session.
type sweeper struct {
	store  *Store
	x      *session
	digest ownership.Digest
	before time.Time
	mode   SweepMode
	found  []Swept
}

// remains is what is left of one generation, by kind.
type remains map[LeftoverKind]string

func (w *sweeper) sweep(ctx context.Context) error {
	names, err := namesIn(w.x.Root)
	if err != nil {
		return err
	}
	generations := map[ownership.Generation]remains{}
	var unguarded []string
	for _, name := range names {
		if g, kind, ok := generationOfName(name); ok {
			if generations[g] == nil {
				generations[g] = remains{}
			}
			generations[g][kind] = name
		} else if isPulseTemporary(name) || isVerdictTemporary(name) {
			unguarded = append(unguarded, name)
		}
	}
	for _, g := range slices.Sorted(maps.Keys(generations)) {
		if err := errors.Join(w.generation(ctx, g, generations[g]), ctx.Err()); err != nil {
			return err
		}
	}
	return w.temporaries(ctx, unguarded)
}

func generationOfName(name string) (ownership.Generation, LeftoverKind, bool) {
	if lock, g, ok := lockOf(name); ok {
		return g, LeftoverKind(lock), true
	}
	g, ok := generationName(name, nextPrefix, jsonSuffix)
	return g, NextLeftover, ok
}

// young reports whether something is not old enough, or gone.
func (w *sweeper) young(name string) (bool, error) {
	info, err := w.x.Lstat(name)
	if err != nil {
		return true, ignoreMissing(err)
	}
	return !w.before.IsZero() && !info.ModTime().Before(w.before), nil
}

func (w *sweeper) anyYoung(names remains) (bool, error) {
	for _, name := range names {
		if young, err := w.young(name); young || err != nil {
			return true, err
		}
	}
	return false, nil
}

func (w *sweeper) note(kind LeftoverKind, name, kept string) {
	path := w.store.at(sessionsName, w.digest.String(), name)
	l := Leftover{Kind: kind, Session: w.digest, Path: path, InUse: kept != ""}
	w.found = append(w.found, Swept{l, kept})
}

// noteAll notes every kind of a generation in one order.
func (w *sweeper) noteAll(left remains, kept string) {
	for _, kind := range []LeftoverKind{NextLeftover, KinLeftover, LifeLeftover} {
		if name, ok := left[kind]; ok {
			w.note(kind, name, kept)
		}
	}
}

func (w *sweeper) remove(name string) error {
	dir, err := w.store.dir(w.x.Root)
	if err != nil {
		return err
	}
	return errors.Join(ignoreMissing(dir.Remove(name)), dir.Close())
}
