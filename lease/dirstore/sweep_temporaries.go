package dirstore

import (
	"context"
	"time"
)

// unguardedAge is how old a temporary file must be that no lock belongs to. Its writer
// takes microseconds from its creation to its rename, and fails cleanly without it.
const unguardedAge = time.Minute

// temporaries removes unfinished pulses and verdicts of a session that nobody holds.
// The names were listed before that is asked: whoever comes later has others.
func (w *sweeper) temporaries(ctx context.Context, names []string) error {
	if len(names) == 0 {
		return nil
	}
	held, err := w.held(ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		kind := PulseLeftover
		if isVerdictTemporary(name) {
			kind = VerdictLeftover
		}
		if err := w.temporary(kind, name, held); err != nil {
			return err
		}
	}
	return nil
}

func (w *sweeper) temporary(kind LeftoverKind, name string, held bool) error {
	if young, err := w.young(name); young || err != nil {
		return err
	}
	info, err := w.x.Lstat(name)
	switch {
	case err != nil:
		return ignoreMissing(err)
	case held:
		w.note(kind, name, "the session is held: somebody may be writing it")
		return nil
	case kind == VerdictLeftover && time.Since(info.ModTime()) < unguardedAge:
		w.note(kind, name, "it is younger than a minute: somebody may be writing it")
		return nil
	}
	if w.mode == SweepRemove {
		if err := w.remove(name); err != nil {
			return err
		}
	}
	w.note(kind, name, "")
	return nil
}

// held reports whether somebody holds the session, or may.
func (w *sweeper) held(ctx context.Context) (bool, error) {
	current, err := load(ctx, w.x.Root)
	if err != nil {
		return false, err
	}
	r := current.Reading(w.digest)
	if r.Fault != nil {
		return true, nil
	}
	if !r.NeedsProbe() {
		return false, nil
	}
	life, _ := w.store.askLock(w.x.Root, lifeName(r.Record.Generation))
	kin, _ := w.store.askLock(w.x.Root, kinName(r.Record.Generation))
	return life != lockFree || kin == lockHeld || kin == lockUnknown, nil
}
