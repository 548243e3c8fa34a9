package dirstore

import (
	"context"
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"holdfast/lease"
	"holdfast/ownership"
)

// generation sweeps what is left of one generation.
func (w *sweeper) generation(ctx context.Context, g ownership.Generation, left remains) error {
	if young, err := w.anyYoung(left); young || err != nil {
		return err
	}
	current, err := load(ctx, w.x.Root)
	if err != nil {
		return err
	}
	reading := current.Reading(w.digest)
	switch {
	case reading.Fault != nil:
		w.noteAll(left, "the session's record cannot be read: nobody knows which generation is in force")
		return nil
	case isActive(reading, g):
		return w.activeNext(g, left)
	}
	if kept := w.inUse(g, left, reading); kept != "" {
		w.noteAll(left, kept)
		return nil
	}
	if w.mode == SweepLook {
		w.noteAll(left, "")
		return nil
	}
	return w.removeGeneration(ctx, g, left)
}

func isActive(r ownership.Reading, g ownership.Generation) bool {
	return r.NeedsProbe() && r.Record.Generation == g
}

// activeNext removes the unfinished publish of an active generation whose life lock is
// free: nobody will ever write at it again. Its lock files are needed.
func (w *sweeper) activeNext(g ownership.Generation, left remains) error {
	name, ok := left[NextLeftover]
	if !ok {
		return nil
	}
	state, _ := w.store.askLock(w.x.Root, lifeName(g))
	if state != lockFree {
		w.note(NextLeftover, name, "its owner may be writing it: the life lock is "+string(state))
		return nil
	}
	if w.mode == SweepRemove {
		if err := w.remove(name); err != nil {
			return err
		}
	}
	w.note(NextLeftover, name, "")
	return nil
}

// inUse says who holds a lock of a generation, if anybody. Of one that somebody may be
// claiming no lock is asked: he would be refused by it.
func (w *sweeper) inUse(g ownership.Generation, left remains, r ownership.Reading) string {
	over := r.Record != nil && g <= r.Record.Generation
	for _, kind := range []LeftoverKind{LifeLeftover, KinLeftover} {
		name, ok := left[kind]
		if !ok {
			continue
		}
		look := w.seeLock
		if over {
			look = func(name string) (lockState, error) { return w.store.askLock(w.x.Root, name) }
		}
		state, err := look(name)
		if state == lockHeld || state == lockUnknown {
			return inUseBecause(kind, state, err)
		}
	}
	return ""
}

// seeLock looks for the holders of a lock without asking the lock.
func (w *sweeper) seeLock(name string) (lockState, error) {
	info, err := w.x.Lstat(name)
	if missing(err) {
		return lockMissing, nil
	}
	if err != nil {
		return lockUnknown, err
	}
	holders, err := holdersOf(info)
	switch {
	case err != nil:
		return lockUnknown, err
	case len(holders) > 0:
		return lockHeld, nil
	}
	return lockFree, nil
}

func inUseBecause(kind LeftoverKind, state lockState, err error) string {
	if state == lockUnknown {
		return "its " + string(kind) + " lock cannot be asked: " + err.Error()
	}
	return "its " + string(kind) + " lock is held"
}

// removeGeneration removes the names of a generation that is not in force, as its
// publisher would have: the life lock's last.
func (w *sweeper) removeGeneration(ctx context.Context, g ownership.Generation, left remains) error {
	free, ok := lease.Occupy(w.store, w.digest)
	if !ok {
		w.noteAll(left, "this process is using the session")
		return nil
	}
	defer free()
	v := w.store.view(w.digest)
	defer v.Close()
	h, err := v.hold(g)
	if errors.Is(err, lease.ErrHeld) {
		w.noteAll(left, inUseBecause(LifeLeftover, lockHeld, nil))
		return nil
	}
	if err != nil {
		w.noteAll(left, err.Error())
		return nil
	}
	kept, err := w.removeUnder(ctx, h)
	if err == nil {
		w.noteAll(left, kept)
	}
	return errors.Join(err, h.Drop())
}

// removeUnder looks again: whoever had the lock before may have published.
func (w *sweeper) removeUnder(ctx context.Context, h *hold) (kept string, err error) {
	current, err := load(ctx, w.x.Root)
	if err != nil {
		return "", err
	}
	if r := current.Reading(w.digest); r.Fault != nil || isActive(r, h.generation) {
		return "the session changed meanwhile", nil
	}
	kin, err := w.lockKin(h.generation)
	switch {
	case errors.Is(err, unix.EWOULDBLOCK):
		return inUseBecause(KinLeftover, lockHeld, nil), nil
	case err != nil:
		return "", err
	case kin != nil:
		defer kin.Close()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return "", h.removeNames()
}

// lockKin takes the kin lock of a generation for as long as its file is open; nil
// where it has none.
func (w *sweeper) lockKin(g ownership.Generation) (*os.File, error) {
	f, err := openLock(w.x.Root, kinName(g))
	if err != nil {
		return nil, ignoreMissing(err)
	}
	if err := lockNow(int(f.Fd()), unix.LOCK_EX); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// openLock opens a lock file of ours for reading and writing.
func openLock(x *os.Root, name string) (*os.File, error) {
	want, err := lstatRegular(x, name)
	if err != nil {
		return nil, err
	}
	f, err := x.OpenFile(name, claimFlags, 0)
	if err != nil {
		return nil, err
	}
	got, err := f.Stat()
	if err == nil && !os.SameFile(want, got) {
		err = errReplaced
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
