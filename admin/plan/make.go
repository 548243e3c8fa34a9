package plan

import (
	"context"
	"fmt"
	"time"

	"holdfast/admin"
	"holdfast/admin/evidence"
	"holdfast/lease"
	"holdfast/ownership"
)

// Keeping says whether a plan begins with a snapshot.
type Keeping int

// A plan without a snapshot proposes nothing that would need one.
const (
	KeepNothing Keeping = iota
	KeepWork            // of the worktree and the tracker that the record names
)

// Options say how a plan is made.
type Options struct {
	Keeping        Keeping
	IncludeIgnored bool                    // keep what git ignores too
	Progress       func(evidence.Progress) // may be nil
	Actor          string                  // "" is user@host
	StoreWords     []string                // name the store in a command of ours
	Intent         Intent
}

// Intent is what a person wants to be done in words of their own. It is said to Make and to Apply alike: a plan is
// compared with it, and never the source of it.
type Intent struct {
	Answer      string // one line, typed into the tmux session
	Tracker     string // a shell command, by which the tracker releases or reassigns the work
	TrackerUndo string // a shell command that takes that back
}

// Make proposes what can be done about a session, and changes nothing in the store (I8). A session that was never
// acquired is refused with a [*lease.Refusal]. Other errors are those of the store and of package evidence.
func Make(ctx context.Context, s lease.Store, t admin.Target, o Options) (Plan, error) {
	f, err := look(ctx, s, t)
	if err != nil {
		return Plan{}, err
	}
	if f.seen.State == ownership.StateVacant {
		msg := fmt.Sprintf("nobody ever acquired session %s: there is nothing to plan", f.seen.Name())
		return Plan{}, &lease.Refusal{Reason: ownership.ReasonNothingToRecover, Message: msg, Inspection: f.seen}
	}
	f.seen = admin.Classify(ctx, s, f.seen).Inspection
	p := Plan{
		MadeAt: ownership.At(time.Now()), Actor: actor(o.Actor), Store: s.Identity(), Key: f.seen.Key, KeyDigest: f.seen.KeyDigest,
		State: f.seen.State, Class: f.seen.Class, Revision: f.seen.Stored.Revision,
	}
	if f.seen.Record != nil {
		p.Generation = &f.seen.Record.Generation
	}
	unkept := f.unkeepable(o)
	if o.Keeping == KeepWork && keeps(f.work) && unkept == nil {
		if p.Snapshot, err = take(ctx, s, f.seen, evidence.Options{IncludeIgnored: o.IncludeIgnored, Progress: o.Progress}); err != nil {
			return Plan{}, err
		}
	}
	made := f.derive(p.Snapshot, o.Intent, o.StoreWords)
	if unkept != nil {
		made.withhold(snapshotID, "nothing is kept of the work: %v", unkept)
	}
	p.Items, p.Withheld = made.items, made.withheld
	return p, nil
}

// snapshotID stands for the snapshot among what is withheld.
const snapshotID = "snapshot"

// unkeepable returns why it is plain that no snapshot can be taken, as of a worktree that is gone: what does not need
// one can be done all the same.
func (f facts) unkeepable(o Options) error {
	if o.Keeping == KeepNothing {
		return nil
	}
	return evidence.Keepable(f.work)
}

func actor(named string) string {
	if named == "" {
		return admin.ThisActor()
	}
	return named
}
