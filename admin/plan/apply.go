package plan

import (
	"context"
	"fmt"

	"holdfast/admin"
	"holdfast/admin/evidence"
	"holdfast/lease"
	"holdfast/ownership"
)

// Status is what became of an item or a step.
type Status string

// What can become of one.
const (
	Done     Status = "done"
	Already  Status = "already" // it was in force
	Needless Status = "needless"
	Failed   Status = "failed"
	NotRun   Status = "not-run" // something before it failed
)

// Report is what was done.
type Report struct {
	Key       *string            `json:"key"`
	KeyDigest ownership.Digest   `json:"keyDigest"`
	Revision  ownership.Revision `json:"revision"` // that the plan was made of
	Actor     string             `json:"actor"`
	Snapshot  *Snapshot          `json:"snapshot"` // that was relied on
	Anew      bool               `json:"anew"`     // it was taken now, since something was written after the plan's
	Results   []Result           `json:"results"`  // in order
	Stopped   bool               `json:"stopped"`  // a step failed, and the rest was not run

	// Unrecorded is why a result is not in the archive, if so.
	Unrecorded error `json:"-"`
}

// Result is what became of one approved item.
type Result struct {
	ID      string         `json:"id"`
	Status  Status         `json:"status"`
	Steps   []StepResult   `json:"steps"`
	Receipt *admin.Receipt `json:"receipt"` // of a recovery
	Detail  string         `json:"detail"`
}

// StepResult is what became of one step.
type StepResult struct {
	Argv   []string `json:"argv"`
	Status Status   `json:"status"`
	Detail string   `json:"detail"`
}

// Apply carries out the approved items of a plan, in its order. It returns a [*lease.Refusal], and has done nothing,
// where the approval is not enough (force-required) or the plan is stale (revision-mismatch), and an
// [*UnknownItemError]. Errors of the store, of the archive and of package evidence come before anything is done as well.
// What fails later is in the report.
func Apply(ctx context.Context, s lease.Store, p Plan, a Approval) (Report, error) {
	if p.Store != s.Identity() {
		return Report{}, p.stale(ctx, s, fmt.Sprintf("the plan is about the store %q, not %q", p.Store, s.Identity()))
	}
	if err := a.check(ctx, s, p); err != nil {
		return Report{}, err
	}
	f, err := look(ctx, s, p.target())
	if err != nil {
		return Report{}, err
	}
	w := &applying{store: s, plan: p, approval: a, facts: f, report: Report{
		Key: f.seen.Key, KeyDigest: p.KeyDigest, Revision: p.Revision, Actor: actor(a.Actor), Snapshot: p.Snapshot, Results: []Result{},
	}}
	todo, err := w.compare(ctx)
	if err != nil {
		return Report{}, err
	}
	if err := w.keepAgain(ctx, todo); err != nil {
		return Report{}, err
	}
	w.run(ctx, todo)
	return w.report, nil
}

// applying is one call of Apply.
type applying struct {
	store    lease.Store
	plan     Plan
	approval Approval
	facts    facts
	rest     *tree // whose worktree is gone and whose branch is left; nil else
	report   Report
}

// task is an approved item as it would be proposed now.
type task struct {
	item    Item
	already string // why there is nothing left to do
}

// keepAgain relies on the plan's snapshot while nothing was written since, and takes another one else.
func (w *applying) keepAgain(ctx context.Context, todo []task) error {
	if w.plan.Snapshot == nil || !pending(todo) {
		return nil
	}
	if w.rest != nil || w.plan.Snapshot.still(ctx, w.facts.work) {
		if err := w.plan.Snapshot.verify(ctx); err != nil {
			return w.plan.stale(ctx, w.store, fmt.Sprintf("the plan's snapshot cannot be relied on: %v", err))
		}
		return nil
	}
	again, err := take(ctx, w.store, w.facts.seen, evidence.Options{
		IncludeIgnored: w.plan.Snapshot.IncludesIgnored, Progress: w.approval.Progress,
	})
	if err != nil {
		return err
	}
	w.report.Snapshot, w.report.Anew = again, true
	return nil
}

func pending(todo []task) bool {
	for _, t := range todo {
		if t.already == "" {
			return true
		}
	}
	return false
}

// run does one item after the other, until one fails.
func (w *applying) run(ctx context.Context, todo []task) {
	for _, t := range todo {
		if w.report.Stopped || ctx.Err() != nil {
			w.report.Stopped = true
			w.report.Results = append(w.report.Results, notRun(t.item, "something before it failed"))
			continue
		}
		r := w.one(ctx, t)
		w.report.Results = append(w.report.Results, r)
		w.report.Stopped = r.Status == Failed
	}
}

func notRun(i Item, why string) Result {
	r := Result{ID: i.ID, Status: NotRun, Detail: why, Steps: []StepResult{}}
	for _, s := range i.Steps {
		r.Steps = append(r.Steps, StepResult{Argv: s.Argv, Status: NotRun})
	}
	return r
}

// one journals the approval before the item is begun, and the result after it.
func (w *applying) one(ctx context.Context, t task) Result {
	if t.already != "" {
		return alreadyDone(t.item, t.already)
	}
	already, err := w.begin(ctx, t.item)
	switch {
	case err != nil:
		r := notRun(t.item, "the approval could not be recorded: "+err.Error())
		r.Status = Failed
		return r
	case already != "":
		return alreadyDone(t.item, already)
	}
	r := w.unlessMoved(ctx, t.item)
	// What was done stands: whoever goes away must not leave it without its event.
	if err := w.note(context.WithoutCancel(ctx), EventApply, fmt.Sprintf("%s: %s", r.ID, r.summary())); err != nil {
		w.report.Unrecorded = err
	}
	return r
}

func alreadyDone(i Item, why string) Result {
	return Result{ID: i.ID, Status: Already, Detail: why, Steps: []StepResult{}}
}

// unlessMoved looks once more right before: a snapshot can have taken minutes. A recovery compares by itself.
func (w *applying) unlessMoved(ctx context.Context, i Item) Result {
	stored, err := w.store.Load(ctx, w.plan.KeyDigest)
	if err == nil && i.ID != Recover && stored.Revision != w.plan.Revision {
		err = fmt.Errorf("%w: the session changed at this moment", lease.ErrConflict)
	}
	if err != nil {
		return result(i, err, failed(err))
	}
	return w.execute(ctx, i)
}

func (r Result) summary() string {
	if r.Detail == "" {
		return string(r.Status)
	}
	return string(r.Status) + ", " + r.Detail
}

// Count returns how many items have a status.
func (r Report) Count(s Status) (n int) {
	for _, i := range r.Results {
		if i.Status == s {
			n++
		}
	}
	return n
}
