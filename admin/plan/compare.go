package plan

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"holdfast/admin"
	"holdfast/internal/procid"
	"holdfast/lease"
	"holdfast/ownership"
)

// compare derives the items afresh and returns those that are approved, unless the plan is stale. What a plan says is
// compared, and never done (I12).
func (w *applying) compare(ctx context.Context) ([]task, error) {
	if w.facts.seen.Stored.Revision != w.plan.Revision {
		if w.recovered() {
			return w.again(), nil
		}
		return nil, w.plan.stale(ctx, w.store, fmt.Sprintf("session %s has revision %s, not the plan's %s: somebody changed it since",
			w.facts.seen.Name(), w.facts.seen.Stored.Revision, w.plan.Revision))
	}
	now := w.facts.derive(w.plan.Snapshot, w.approval.Intent, w.approval.StoreWords)
	var todo []task
	for _, planned := range w.plan.approved(w.approval) {
		t, why, err := w.left(ctx, planned, now)
		if err != nil {
			return nil, err
		}
		if why != "" {
			return nil, w.plan.stale(ctx, w.store, planned.ID+" "+why)
		}
		todo = append(todo, t)
	}
	return todo, nil
}

// recovered reports whether the session is what this plan's own recovery made of it.
func (w *applying) recovered() bool {
	r := w.facts.seen.Record
	_, proposed := w.plan.Item(Recover)
	return proposed && slices.Contains(w.approval.IDs, Recover) && r != nil && r.Release != nil &&
		*r.Release == ownership.ReleaseForced && *r.PreviousRevision == w.plan.Revision
}

// again is for a recovery that is in force: it is asked for once more, which returns its receipt. What came before it
// was done before it.
func (w *applying) again() (todo []task) {
	for _, i := range w.plan.approved(w.approval) {
		t := task{item: i}
		if i.ID != Recover {
			t.already = "it came before the recovery, which is in force"
		}
		todo = append(todo, t)
	}
	return todo
}

// left returns what is left to do of an item, or why the plan is stale.
func (w *applying) left(ctx context.Context, planned Item, now proposal) (task, string, error) {
	already, stale, err := w.earlier(ctx, planned)
	if err != nil || already != "" || stale != "" {
		return task{item: planned, already: already}, stale, err
	}
	t, why := w.match(ctx, planned, now)
	if why != "" {
		why = "would not be proposed as it was: " + why
	}
	return t, why, nil
}

// match returns the item as it is proposed now, or why the plan is stale.
func (w *applying) match(ctx context.Context, planned Item, now proposal) (task, string) {
	fresh, ok := Plan{Items: now.items}.Item(planned.ID)
	if !ok {
		if why := w.inForce(planned); why != "" {
			return task{item: planned, already: why}, ""
		}
		if t, why := w.leftBehind(ctx, planned); t.item.ID != "" || why != "" {
			return t, why
		}
		return task{}, w.withheldBecause(now, planned.ID)
	}
	if !contains(planned.Targets, fresh.Targets) {
		return task{}, "it is about other processes by now"
	}
	if fresh.Gate != planned.Gate {
		return task{}, fmt.Sprintf("it is %s", fresh.Gate)
	}
	if len(fresh.Targets) > 0 && fresh.ID != AnswerPrompt {
		return task{item: fresh}, "" // its commands name no more than those who are left of them
	}
	if !slices.EqualFunc(fresh.Steps, planned.Steps, sameStep) {
		return task{}, "its commands are others by now"
	}
	return task{item: fresh}, ""
}

// contains reports whether everybody who would be stopped was named: those who have ended meanwhile do not matter.
func contains(named, now []ownership.Process) bool {
	for _, p := range now {
		if !slices.Contains(named, p) {
			return false
		}
	}
	return true
}

func sameStep(a, b Step) bool {
	return slices.Equal(a.Argv, b.Argv) && slices.Equal(a.Rollback.Argv, b.Rollback.Argv)
}

const lockedForThis = "it is locked, for this very reason"

// inForce says why an item that is not proposed any more is done already.
func (w *applying) inForce(planned Item) string {
	switch {
	case planned.ID == LockWorktree && w.facts.tree != nil && w.facts.tree.locked && w.facts.tree.reason == w.facts.lockReason():
		return lockedForThis
	case planned.ID == RemoveWorktree && w.facts.work.Worktree != nil && missing(*w.facts.work.Worktree):
		return "it is gone"
	case planned.ID == StopRuntime && !w.facts.runtime.alive() && w.facts.runtime.fault == nil:
		return "it has ended"
	case planned.ID == StopWorker && w.facts.unnamed == nil && allEnded(planned.Targets):
		return "they have ended"
	}
	return ""
}

func missing(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

func allEnded(all []ownership.Process) bool {
	here := procid.ThisHost().PIDNamespace
	for _, p := range all {
		if _, exists, err := procid.Exists(here, p.PID, &p.StartTicks); err != nil || exists {
			return false
		}
	}
	return true
}

func (w *applying) withheldBecause(now proposal, id string) string {
	said := w.approval.Intent
	if id == AnswerPrompt && said.Answer == "" || id == TellTracker && said.Tracker == "" {
		return "its words have to be given again, as they were given to the plan"
	}
	for _, h := range now.withheld {
		if h.ID == id {
			return h.Why
		}
	}
	return "there is nothing to do any more"
}

// stale refuses a plan that is not about what is there now.
func (p Plan) stale(ctx context.Context, s lease.Store, msg string) error {
	i, err := admin.Inspect(ctx, s, p.target())
	if err != nil {
		return err
	}
	i.Next = append([]lease.Next{p.PlanAgain()}, i.Next...)
	return &lease.Refusal{Reason: ownership.ReasonRevisionMismatch, Message: msg + "; make another plan", Inspection: i}
}
