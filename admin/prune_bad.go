package admin

import (
	"errors"
	"path/filepath"
	"time"

	"holdfast/internal/journal"
	"holdfast/lease"
	"holdfast/lease/dirstore"
	"holdfast/ownership"
)

// withoutBad sets the damaged files of a session aside that are old enough, and returns
// what is left. What is missing then is told as a gap, and not lost: the bytes are kept,
// and the archive says where.
func (w *pruner) withoutBad(d ownership.Digest, box dirstore.Outbox) (dirstore.Outbox, error) {
	var left []dirstore.Bad
	for _, bad := range box.Bad {
		if !w.Before.IsZero() && !bad.WrittenAt.Before(w.Before) {
			left = append(left, bad)
		} else if err := w.setBadAside(d, bad); err != nil {
			return box, err
		}
	}
	if w.Mode == PruneDo {
		return w.store.Outbox(w.ctx, d) // while they stood there, nothing was where they belong
	}
	box.Bad = left
	return box, nil
}

func (w *pruner) setBadAside(d ownership.Digest, bad dirstore.Bad) error {
	path := w.store.RevPath(d, bad.Revision)
	why := whyBad(bad)
	if w.Mode == PruneDo {
		kept, err := w.store.SetAside(w.ctx, d, bad.Revision)
		if errors.Is(err, lease.ErrConflict) {
			return nil // it is another one now
		}
		if err != nil {
			return err
		}
		if err := w.heard(w.noteSetAside(d, bad, kept)); err != nil {
			return err
		}
	}
	w.tell(Pruned{Action: PruneQuarantine, Kind: string(dirstore.RevLeftover), Count: 1, Path: &path, Why: why})
	return nil
}

func whyBad(bad dirstore.Bad) string {
	var fault *lease.StoreError
	if errors.As(bad.Why, &fault) && fault.Err != nil {
		return fault.Err.Error()
	}
	return bad.Why.Error()
}

// noteSetAside keeps under which revision the file had stood.
func (w *pruner) noteSetAside(d ownership.Digest, bad dirstore.Bad, kept string) error {
	return recordEvent(w.ctx, w.store, journal.Event{
		At:        ownership.At(time.Now()),
		Event:     EventSetAside,
		Key:       w.key,
		KeyDigest: &d,
		Revision:  &bad.Revision,
		Actor:     w.actor(),
		Reason:    whyBad(bad) + "; it is kept as " + filepath.Join(filepath.Base(filepath.Dir(kept)), filepath.Base(kept)),
	})
}
