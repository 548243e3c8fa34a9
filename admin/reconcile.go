package admin

import (
	"context"
	"iter"

	"holdfast/lease"
	"holdfast/ownership"
)

// PassConsent is a set of what a person agreed to, once for every pass that does it: a
// timer that starts one agrees to nothing.
type PassConsent uint8

// What can be agreed to. Without any of it a pass reports and changes nothing (I8); none
// overrides an owner that a probe can see (I7).
const (
	// PassRecover agrees to recover what is provably gone.
	PassRecover PassConsent = 1 << iota
	// PassReap agrees, beside PassRecover, to destroy runtimes that outlived their session.
	PassReap
	// PassMassDeath agrees to it although most owners look gone at once.
	PassMassDeath
)

// Has reports whether everything in what was agreed to.
func (c PassConsent) Has(what PassConsent) bool { return c&what == what }

// ReconcileAction is what a pass does about a session.
type ReconcileAction string

// The actions. Only recover and reap change anything.
const (
	ReconcileAdopt      ReconcileAction = "adopt"      // somebody holds it
	ReconcileLeave      ReconcileAction = "leave"      // there is nothing to do, or nothing that a pass may do
	ReconcileRecover    ReconcileAction = "recover"    // its owner is provably gone
	ReconcileReap       ReconcileAction = "reap"       // its runtime outlived it
	ReconcileRestorable ReconcileAction = "restorable" // it can be resumed, by a person
	ReconcileBlocked    ReconcileAction = "blocked"    // what is known is not enough
)

// Concern is how much a row of a pass asks of a person.
type Concern int

// Concerns, in their order.
const (
	Routine Concern = iota // nothing
	Notable                // to know of it
	Waiting                // to decide
)

// Reconciled is what a pass found out about one session, and did about it.
type Reconciled struct {
	Key       *string            `json:"key"`
	KeyDigest ownership.Digest   `json:"keyDigest"`
	State     ownership.State    `json:"state"` // before anything was done
	Action    ReconcileAction    `json:"action"`
	Done      bool               `json:"done"` // by this pass: the action changed something
	Reason    string             `json:"reason"`
	Resume    *string            `json:"resume"`  // the command that resumes it; nil unless it is restorable, or will be once it is recovered
	Outcome   *ownership.Outcome `json:"outcome"` // of the execution that is, or would be, displaced; nil of all others
	Receipt   *Receipt           `json:"receipt"` // nil unless it was recovered now
	Next      []lease.Next       `json:"next"`    // what a person can type about it; never nil

	Concern    Concern `json:"-"`
	Unarchived error   `json:"-"` // why what was done did not get into the archive, if so
}

// Reconcile looks at every session of a store once and does what it can be sure of:
//
//	record   life lock  runtime  action
//	active   held       any      adopt: leave it alone
//	active   free       alive    leave it: its host is gone, and its agent lives
//	active   gone       gone     recover: save the work, settle the outcome, force, as reconcile@host
//	active   otherwise           blocked
//	idle                alive    reap: destroy what leaked, where that was agreed to as well
//	idle                gone     restorable where it says how, else leave it
//	unreadable                   leave it, report it
//
// What lives comes first, then what leaked, what is settled and what can be restored; in
// each, by digest. Without consent it reports what it would do. Everything is looked at
// again right before it is changed, so that a session which was acquired since is left
// alone, and a pass that is killed at any point is simply run again. Where five or more
// owners of this boot, and more than half of them, look gone at once, that is one outage
// and nothing is recovered unless that was agreed to.
//
// An error comes with a row that has at most key, digest, state and action; the pass
// goes on after it, and ends early only when ctx does. Vacant sessions have no row.
func Reconcile(ctx context.Context, s lease.Store, consent PassConsent) iter.Seq2[Reconciled, error] {
	return func(yield func(Reconciled, error) bool) {
		p := &pass{ctx: ctx, store: s, consent: consent, yield: yield}
		p.survey()
		p.look()
		p.decide()
		p.act()
	}
}
