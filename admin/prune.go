package admin

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"holdfast/internal/journal"
	"holdfast/lease"
	"holdfast/lease/dirstore"
	"holdfast/ownership"
)

// Pruning is what a person asks to be tidied up.
type Pruning struct {
	Before time.Time // leave what was written since; zero: leave nothing
	Mode   PruneMode
	Actor  string // for the archive; "" is user@host
}

// PruneMode says whether a prune does what it finds.
type PruneMode int

// A preview changes no byte (I8).
const (
	PrunePreview PruneMode = iota
	PruneDo
)

// PruneAction is what a prune does with something.
type PruneAction string

// Records are archived, leftovers are removed, and what somebody may need is kept.
const (
	PruneArchive PruneAction = "archive"
	PruneRemove  PruneAction = "remove"
	PruneKeep    PruneAction = "keep"
	// PruneQuarantine keeps the bytes of a damaged file of history in quarantine/, so
	// that the rest can be archived.
	PruneQuarantine PruneAction = "quarantine"
)

// Pruned is one thing that a prune did or would do.
type Pruned struct {
	Key       *string           `json:"key"`       // nil: it is not known
	KeyDigest *ownership.Digest `json:"keyDigest"` // nil: it is of no session
	Action    PruneAction       `json:"action"`
	Kind      string            `json:"kind"` // record, or what a leftover was
	Count     int               `json:"count"`
	Path      *string           `json:"path"` // nil for the records of a session
	Why       string            `json:"why"`  // why it is kept or set aside, or ""
}

// sweepable is a store whose crashed owners leave something behind.
type sweepable interface {
	historian
	Sweep(context.Context, ownership.Digest, time.Time, dirstore.SweepMode) ([]dirstore.Swept, error)
	SetAside(context.Context, ownership.Digest, ownership.Revision) (kept string, err error)
}

// Prune moves the history of every session into the archive and removes what dead
// owners and claimants left; the current record of each session stays, since it is the
// floor of its generation (I2). What somebody may still need is kept, whatever its
// age; a damaged file of history is kept in quarantine. An error comes with a Pruned that has at most a KeyDigest; the prune goes on
// after it.
func Prune(ctx context.Context, s lease.Store, p Pruning) iter.Seq2[Pruned, error] {
	return func(yield func(Pruned, error) bool) {
		if sweeper, ok := s.(lease.Sweeper); ok {
			pruneLeftovers(ctx, s, sweeper, p, yield)
			return
		}
		h, ok := s.(sweepable)
		if !ok {
			yield(Pruned{}, &lease.StoreError{Kind: lease.ErrStoreUnavailable, Op: "prune", Err: errors.New("this store keeps nothing to prune")})
			return
		}
		w := &pruner{Pruning: p, ctx: ctx, store: h, journal: journal.At(h.JournalPath()), yield: yield}
		w.checkArchive()
		w.all()
	}
}

// pruner is one prune.
type pruner struct {
	Pruning
	ctx     context.Context
	store   sweepable
	journal *journal.Journal
	yield   func(Pruned, error) bool
	done    bool  // nobody listens any more
	deaf    error // why the archive cannot be used: it is not asked again

	waiting  []visit       // whose records go into the next transaction, if they have any
	together journal.Batch // of those sessions
	size     int           // bytes of records in together

	session *ownership.Digest // being told of; nil: none
	key     *string           // of that session, where it is known

	archived, removed, setAside int
}

// checkArchive looks at all of the archive before anything is entrusted to it: files
// that are removed because an unsound archive took them are lost.
func (w *pruner) checkArchive() {
	if _, err := w.journal.Check(w.ctx); err != nil {
		w.deaf = err
		w.fault(err)
	}
}

func (w *pruner) all() {
	for d, err := range w.store.List(w.ctx) {
		if err != nil {
			w.fault(err)
		} else {
			w.prune(d)
		}
		if w.done || w.ctx.Err() != nil {
			break
		}
	}
	w.flush()
	w.unfinishedArchives()
	if err := w.keepEvent(); err != nil {
		w.fault(err)
	}
	if err := context.Cause(w.ctx); err != nil {
		w.fault(err)
	}
}

func (w *pruner) fault(err error) {
	w.done = w.done || !w.yield(Pruned{Key: w.key, KeyDigest: w.session}, archiveFault(err))
}

func (w *pruner) tell(p Pruned) {
	switch p.Action {
	case PruneArchive:
		w.archived += p.Count
	case PruneRemove:
		w.removed += p.Count
	case PruneQuarantine:
		w.setAside += p.Count
	}
	p.Key, p.KeyDigest = w.key, w.session
	w.done = w.done || !w.yield(p, nil)
}

// prune gathers what is to be archived of a session; the rest of it comes behind that.
func (w *pruner) prune(d ownership.Digest) {
	v := visit{digest: d}
	if err := w.history(&v); err != nil {
		w.of(v, func() { w.fault(err) })
	}
	w.add(v)
}

// of does something that is told of a session.
func (w *pruner) of(v visit, tell func()) {
	w.session, w.key = &v.digest, v.key
	defer func() { w.session, w.key = nil, nil }()
	tell()
}

func (w *pruner) sweep(d ownership.Digest) {
	mode := dirstore.SweepLook
	if w.Mode == PruneDo {
		mode = dirstore.SweepRemove
	}
	swept, err := w.store.Sweep(w.ctx, d, w.Before, mode)
	for _, l := range swept {
		action := PruneRemove
		if l.Kept != "" {
			action = PruneKeep
		}
		w.tell(Pruned{Action: action, Kind: string(l.Kind), Count: 1, Path: &l.Path, Why: l.Kept})
	}
	if err != nil {
		w.fault(err)
	}
}

// history looks at what a session has to be archived.
func (w *pruner) history(v *visit) error {
	d := v.digest
	box, err := w.store.Outbox(w.ctx, d)
	if err != nil {
		return err
	}
	reading := box.Current.Reading(d)
	if reading.Record != nil {
		v.key = reading.Record.Key
	}
	if w.deaf == nil && reading.Fault == nil && len(box.Bad) > 0 {
		w.of(*v, func() { box, err = w.withoutBad(d, box) })
		if err != nil {
			return err
		}
	}
	for _, err := range box.Faults() {
		w.of(*v, func() { w.fault(err) })
	}
	if reading.Fault != nil || len(box.Faults()) > 0 {
		return nil // beside what cannot be read, what is a stray cannot be told either
	}
	v.current = box.Current.Revision
	v.past, v.strays = writtenBefore(box.Past, w.Before), writtenBefore(box.Strays, w.Before)
	return nil
}

// heard remembers that the archive cannot be used.
func (w *pruner) heard(err error) error {
	var known *lease.StoreError
	if errors.As(archiveFault(err), &known) && known.Path == w.journal.Path() {
		w.deaf = err
	}
	return err
}

// unfinishedArchives removes archives whose maker died.
func (w *pruner) unfinishedArchives() {
	if !w.Before.IsZero() {
		return // they carry no time to go by
	}
	fate := journal.Leave
	if w.Mode == PruneDo {
		fate = journal.Remove
	}
	found, err := w.journal.Unfinished(fate)
	for _, path := range found {
		w.tell(Pruned{Action: PruneRemove, Kind: "archive", Count: 1, Path: &path})
	}
	if err != nil {
		w.fault(err)
	}
}

func (w *pruner) keepEvent() error {
	if w.Mode != PruneDo || w.archived+w.removed+w.setAside == 0 || w.deaf != nil {
		return nil
	}
	what := fmt.Sprintf("records archived: %d; leftovers removed: %d", w.archived, w.removed)
	if w.setAside > 0 {
		what += fmt.Sprintf("; damaged files kept in quarantine: %d", w.setAside)
	}
	return recordEvent(w.ctx, w.store, journal.Event{At: ownership.At(time.Now()), Event: EventPrune, Actor: w.actor(), Reason: what})
}

func (w *pruner) actor() string {
	if w.Actor != "" {
		return w.Actor
	}
	return thisActor()
}
