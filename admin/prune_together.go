package admin

import (
	"errors"

	"holdfast/internal/journal"
	"holdfast/lease"
	"holdfast/lease/dirstore"
	"holdfast/ownership"
)

// A transaction takes as long for one record as for a batch, and most sessions have but
// a few records: those of many sessions become durable together, and only then does any
// of these lose a file (I11).

// visit is a session that is being pruned.
type visit struct {
	digest       ownership.Digest
	key          *string            // where it is known
	current      ownership.Revision // in force when it was looked at
	past, strays []dirstore.Rev     // to be archived

	long          bool                 // past fills transactions of its own
	records, odds []ownership.Revision // of past and of strays, in the transaction
}

func (w *pruner) archiver(v visit) archiver {
	return archiver{store: w.store, journal: w.journal, digest: v.digest}
}

// add takes a session, and finishes all that were taken when they fill a transaction.
func (w *pruner) add(v visit) {
	if w.Mode == PruneDo && w.deaf == nil {
		if err := w.gather(&v); err != nil {
			w.of(v, func() { w.fault(w.heard(err)) })
			v.past, v.strays = nil, nil
		}
	}
	w.waiting = append(w.waiting, v)
	if w.Mode == PrunePreview || v.long || w.full() {
		w.flush()
	}
}

// full bounds what is in memory at once.
func (w *pruner) full() bool {
	return len(w.waiting) >= batchRecords || len(w.together.Records) >= batchRecords || w.size >= batchBytes
}

// gather reads what goes into the transaction.
func (w *pruner) gather(v *visit) error {
	a := w.archiver(*v)
	records, n, err := a.read(w.ctx, v.past, 0)
	if err != nil {
		return err
	}
	strays, err := a.readStrays(w.ctx, v.strays)
	if err != nil {
		return err
	}
	if v.long = n < len(v.past); v.long {
		records = nil
	}
	v.records, v.odds = revisionsOf(records), revisionsOf(strays)
	w.together.Records = append(w.together.Records, records...)
	w.together.Strays = append(w.together.Strays, strays...)
	w.size += bytesOf(records) + bytesOf(strays)
	return nil
}

func bytesOf(records []journal.Record) (n int) {
	for _, r := range records {
		n += len(r.Bytes)
	}
	return n
}

// flush makes the records of all that wait durable, and then finishes each.
func (w *pruner) flush() {
	if w.deaf == nil {
		if err := w.journal.Append(w.ctx, w.together); err != nil {
			w.fault(w.heard(err))
			w.deaf = err // whatever it is: nothing of them may be removed
		}
	}
	for _, v := range w.waiting {
		w.of(v, func() { w.finish(v) })
	}
	w.waiting, w.together, w.size = nil, journal.Batch{}, 0
}

func (w *pruner) finish(v visit) {
	if w.done {
		return
	}
	if w.deaf == nil {
		for _, forget := range []func(visit) error{w.forgetPast, w.forgetStrays} {
			if err := w.heard(forget(v)); err != nil {
				w.fault(err)
				break
			}
		}
	}
	w.sweep(v.digest)
}

// forgetPast removes what the archive has. A long past goes there now.
func (w *pruner) forgetPast(v visit) (err error) {
	n := len(v.past)
	switch {
	case w.Mode != PruneDo:
	case v.long:
		n, err = w.archiver(v).past(w.ctx, v.past)
	case n > 0:
		err = w.store.Forget(w.ctx, v.digest, v.records, ownership.Revision{})
	}
	if n > 0 && (err == nil || v.long) {
		w.tell(Pruned{Action: PruneArchive, Kind: "record", Count: n})
	}
	return err
}

// forgetStrays removes what never came into force, and is kept in the archive out of
// the chain.
func (w *pruner) forgetStrays(v visit) error {
	if w.Mode == PruneDo && len(v.odds) > 0 {
		err := w.store.ForgetStrays(w.ctx, v.digest, v.current, v.odds)
		if errors.Is(err, lease.ErrConflict) {
			return nil // it is being used: its strays may be about to come into force
		}
		if err != nil {
			return err
		}
	}
	for _, r := range v.strays {
		path := w.store.RevPath(v.digest, r.Revision)
		w.tell(Pruned{Action: PruneRemove, Kind: string(dirstore.RevLeftover), Count: 1, Path: &path})
	}
	return nil
}
