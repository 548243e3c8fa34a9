package admin

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"holdfast/internal/halt"
	"holdfast/internal/journal"
	"holdfast/internal/probe"
	"holdfast/internal/procid"
	"holdfast/internal/tmux"
	"holdfast/lease"
	"holdfast/ownership"
)

// reapGrace is how long a runtime has to end after each thing that it is sent.
const reapGrace = 5 * time.Second

// errInUse is returned for a runtime that a person is looking at.
var errInUse = errors.New("somebody is attached to it: detach, or end it by hand")

// living is a runtime that was found, for good: what has its name later is another one.
type living interface {
	end(context.Context) error
}

type livingSession struct{ *tmux.Session }

func (s livingSession) end(ctx context.Context) error {
	attached, err := s.Attached(ctx)
	if err != nil {
		return err
	}
	if attached {
		return errInUse
	}
	_, err = s.Destroy(ctx, reapGrace)
	return err
}

type livingProcess procid.Process

func (p livingProcess) end(ctx context.Context) error {
	_, left, err := halt.End(ctx, []halt.Process{procid.Process(p)},
		halt.Stage{Signal: syscall.SIGTERM, Grace: reapGrace}, halt.Stage{Signal: syscall.SIGKILL, Grace: reapGrace})
	if err == nil && len(left) > 0 {
		err = fmt.Errorf("pid %d outlived KILL", p.PID)
	}
	return err
}

// findLiving returns nil where the runtime of a record is certainly gone.
func findLiving(ctx context.Context, r ownership.Record) (living, error) {
	if r.Session.Runtime.Kind == probe.KindTmux {
		s, err := tmux.Find(ctx, r.Session.Runtime.Handle)
		if s == nil {
			return nil, err
		}
		return livingSession{s}, nil
	}
	p, exists, err := probe.FindProcess(r)
	if !exists {
		return nil, err
	}
	return livingProcess(p), nil
}

// reap destroys a runtime that nobody owns. It is found first and the records are read
// again after that: a session that names it was acquired before, and is seen, or takes
// another one of that name.
func (p *pass) reap(f *finding) {
	found, err := findLiving(p.ctx, *f.seen.Record)
	if err == nil {
		err = p.renote()
	}
	if err != nil {
		p.say(f.failed(err))
		return
	}
	now, other := p.again(f)
	switch {
	case other != nil:
		p.say(*other)
	case found == nil:
		p.row(now.seen, routine(ReconcileLeave, "its runtime has just ended"))
	default:
		p.reaped(f, now, p.destroy(now, found))
	}
}

// destroy ends a runtime while nobody can acquire its session.
func (p *pass) destroy(now facts, found living) (err error) {
	free, ok := lease.Occupy(p.store, now.seen.KeyDigest)
	if !ok {
		return lease.ErrHeld
	}
	defer free()
	next, err := now.seen.Current().NextGeneration()
	if err != nil {
		return err
	}
	hold, err := p.store.Hold(p.ctx, now.seen.KeyDigest, next)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, hold.Drop()) }()
	stored, err := p.store.Load(p.ctx, now.seen.KeyDigest)
	if err != nil {
		return err
	}
	if stored.Revision != now.seen.Stored.Revision {
		return lease.ErrConflict
	}
	return found.end(p.ctx)
}

func (p *pass) reaped(f *finding, now facts, err error) {
	switch {
	case err == nil:
		r := rowFor(now.seen, f.decision)
		r.Done, r.Reason = true, "nobody owned it, and its runtime lived on: "+f.runtime.detail
		r.Unarchived = p.noteReaped(now.seen)
		p.tell(r, nil)
	case lostRace(err), errors.Is(err, tmux.ErrReplaced):
		p.row(now.seen, notable(ReconcileLeave, "it changed at this moment: "+err.Error()))
	case errors.Is(err, errInUse), errors.Is(err, tmux.ErrInside):
		p.row(now.seen, waiting(ReconcileBlocked, "nobody owns it, and its runtime lives; "+err.Error()))
	default:
		p.say(f.failed(err))
	}
}

func (p *pass) noteReaped(i lease.Inspection) error {
	return archiveFault(recordEvent(context.WithoutCancel(p.ctx), p.store, journal.Event{
		At:         ownership.At(time.Now()),
		Event:      EventReap,
		Key:        i.Record.Key,
		KeyDigest:  &i.KeyDigest,
		Generation: &i.Record.Generation,
		Actor:      reconciler(),
		Reason:     "destroyed " + i.Record.Session.Runtime.String(),
	}))
}
