package admin

import (
	"context"
	"errors"
	"slices"
	"sync"

	"holdfast/internal/probe"
	"holdfast/internal/procid"
	"holdfast/lease"
	"holdfast/ownership"
)

// pass is one reconciliation in progress.
type pass struct {
	ctx     context.Context
	store   lease.Store
	consent PassConsent
	yield   func(Reconciled, error) bool
	done    bool          // nobody listens any more, or ctx ended
	deaf    bool          // nobody listens any more
	room    room          // for those that publish or archive at once; nil: one comes after the other
	looks   *lease.Survey // to look at sessions with; nil: at each alone

	found    []*finding // what needs more than its record
	namers   map[ownership.Runtime][]namer
	runtimes probe.Runtimes
}

// finding is a session on its way through a pass.
type finding struct {
	facts
	decision
}

// survey inspects every session. What is idle and names nothing is told at once, so
// that it costs no more than to be read.
func (p *pass) survey() {
	p.namers = map[ownership.Runtime][]namer{}
	for s := range survey(p.ctx, p.store) {
		switch {
		case p.done:
			return
		case s.err != nil:
			p.tell(Reconciled{Key: s.Key, KeyDigest: s.KeyDigest}, s.err)
		case s.State == ownership.StateVacant:
		case isAtRest(s.Inspection):
			p.row(s.Inspection, facts{seen: s.Inspection}.plan())
		default:
			p.found = append(p.found, &finding{facts: facts{seen: s.Inspection, began: s.began}})
			p.note(s.Inspection)
		}
	}
}

// isAtRest reports whether a record alone says that there is nothing to do.
func isAtRest(i lease.Inspection) bool {
	return i.State == ownership.StateIdle && i.Record.Session.Runtime == nil && i.Record.Session.Resume == nil
}

func (p *pass) note(i lease.Inspection) {
	if i.Record != nil && i.Record.Session.Runtime != nil {
		r := *i.Record.Session.Runtime
		p.namers[r] = append(p.namers[r], namer{i.KeyDigest, i.Name(), i.State})
	}
}

// survey once more who names which runtime.
func (p *pass) renote() (err error) {
	p.namers = map[ownership.Runtime][]namer{}
	for s := range survey(p.ctx, p.store) {
		err = errors.Join(err, s.err)
		p.note(s.Inspection)
	}
	return err
}

// look finds out what the records alone do not tell, of many sessions at once.
func (p *pass) look() {
	var all sync.WaitGroup
	room := make(chan struct{}, widthsHere().survey)
	for _, f := range p.found {
		room <- struct{}{}
		all.Go(func() {
			p.gather(&f.facts, p.runtimes.Ask)
			<-room
		})
	}
	all.Wait()
}

// asker asks whether the runtime of a record is alive, as probe.RuntimeOf does.
type asker func(context.Context, ownership.Record) (alive bool, detail string, err error)

// gather completes facts beyond the inspection.
func (p *pass) gather(f *facts, ask asker) {
	i := f.seen
	if i.Record == nil {
		return
	}
	if r := i.Record.Session.Runtime; r != nil {
		f.namers = slices.DeleteFunc(slices.Clone(p.namers[*r]), func(n namer) bool { return n.digest == i.KeyDigest })
		f.runtime = factOf(p.ctx, *i.Record, ask)
	}
	if i.State == ownership.StateStranded {
		f.suspects, f.unseen = probe.SuspectsSince(p.ctx, *i.Record, f.began)
	}
}

func factOf(ctx context.Context, r ownership.Record, ask asker) runtimeFact {
	alive, detail, err := ask(ctx, r)
	switch {
	case err != nil:
		return runtimeFact{runtimeUnknown, "cannot tell whether " + r.Session.Runtime.String() + " is alive: " + err.Error()}
	case alive:
		return runtimeFact{runtimeAlive, detail}
	}
	return runtimeFact{runtimeGone, detail}
}

// decide plans for all of them before anything is done, since what looks like many
// deaths may be one outage.
func (p *pass) decide() {
	var o outage
	here := procid.ThisHost()
	for _, f := range p.found {
		f.decision = f.plan()
		o.count(f.seen, here)
	}
	if p.consent.Has(PassMassDeath) {
		return
	}
	for _, f := range p.found {
		f.decision = o.hold(f.decision)
	}
}

// phases is the order in which a pass acts: what lives is left alone first.
var phases = [][]ReconcileAction{
	{ReconcileAdopt, ReconcileLeave, ReconcileBlocked},
	{ReconcileReap},
	{ReconcileRecover},
	{ReconcileRestorable},
}

func (p *pass) act() {
	for _, actions := range phases {
		switch due := p.due(actions); {
		case len(due) > 1 && due[0].action == ReconcileRecover && p.consent.Has(PassRecover):
			p.recoverAll(due)
		default:
			p.executeEach(due)
		}
	}
}

// due is what has one of some actions, by digest.
func (p *pass) due(actions []ReconcileAction) (due []*finding) {
	for _, f := range p.found {
		if slices.Contains(actions, f.action) {
			due = append(due, f)
		}
	}
	return due
}

func (p *pass) executeEach(due []*finding) {
	for _, f := range due {
		if p.done {
			return
		}
		p.execute(f)
	}
}

func (p *pass) tell(r Reconciled, err error) {
	if r.Next == nil {
		r.Next = []lease.Next{}
	}
	p.deaf = p.deaf || !p.yield(r, err)
	p.done = p.done || p.deaf || p.ctx.Err() != nil
}

func (p *pass) say(s said) { p.tell(s.row, s.err) }

// row tells what was decided about a session where nothing was done.
func (p *pass) row(i lease.Inspection, d decision) { p.tell(rowFor(i, d), nil) }

func rowFor(i lease.Inspection, d decision) Reconciled {
	r := Reconciled{Key: i.Key, KeyDigest: i.KeyDigest, State: i.State, Action: d.action, Reason: d.reason, Concern: d.concern}
	if d.action == ReconcileRecover || d.action == ReconcileRestorable {
		r.Resume = i.Record.Session.Resume
	}
	if d.concern == Waiting {
		r.Next = []lease.Next{d.next(i)}
	}
	return r
}

func lookAtIt(i lease.Inspection) lease.Next {
	return LookAgain(i, "look at it, and see what can be typed about it")
}

// next is what a person can type about a session that waits.
func (d decision) next(i lease.Inspection) lease.Next {
	if d.needs == 0 {
		return lookAtIt(i)
	}
	again := lease.Next{Why: "recover what is provably gone", Argv: []string{"session", "reconcile", "--apply"}, ChangesState: true}
	switch {
	case d.needs.Has(PassMassDeath):
		again.Why += ", although most look gone at once"
		again.Argv = append(again.Argv, "--accept-mass-death")
	case d.needs.Has(PassReap):
		again.Why += ", and destroy the runtimes that outlived their sessions"
		again.Argv = append(again.Argv, "--reap")
	}
	return again
}
