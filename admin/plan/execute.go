package plan

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"holdfast/admin"
	"holdfast/internal/halt"
	"holdfast/internal/tmux"
	"holdfast/lease"
	"holdfast/ownership"
)

// execute does an item that was derived from the facts, and looks at no word of the plan.
func (w *applying) execute(ctx context.Context, i Item) Result {
	switch i.ID {
	case LockWorktree:
		return w.lockWorktree(ctx, i)
	case Recover:
		return w.recover(ctx, i)
	case RemoveWorktree, RemoveBranch:
		if w.rest != nil {
			return w.removeRest(ctx, i)
		}
		return w.removeWorktree(ctx, i)
	case AnswerPrompt:
		return w.answer(ctx, i)
	case TellTracker:
		return w.tellTracker(ctx, i)
	case StopRuntime:
		if w.facts.runtime.session != nil {
			return w.stopTmux(ctx, i)
		}
	}
	return w.stop(ctx, i)
}

// result pairs the steps of an item with what became of each: those without a result were not run.
func result(i Item, err error, steps ...StepResult) Result {
	r := Result{ID: i.ID, Status: Done, Steps: append([]StepResult{}, steps...)}
	for n, s := range i.Steps {
		if n >= len(r.Steps) {
			r.Steps = append(r.Steps, StepResult{Status: NotRun})
		}
		r.Steps[n].Argv = s.Argv
	}
	if err != nil {
		r.Status, r.Detail = Failed, err.Error()
	}
	return r
}

func done(detail string) StepResult { return StepResult{Status: Done, Detail: detail} }

func failed(err error) StepResult { return StepResult{Status: Failed, Detail: err.Error()} }

// lockWorktree runs the one git command of the item. A git that outlived whoever applied this plan before may have been
// faster.
func (w *applying) lockWorktree(ctx context.Context, i Item) Result {
	t := w.facts.tree
	err := t.run(ctx, i.Steps[0].Argv[1:])
	if err == nil {
		return result(i, nil, done(""))
	}
	if reason, locked, _ := t.Lock(); locked && reason == w.facts.lockReason() {
		return alreadyDone(i, lockedForThis)
	}
	return result(i, err, failed(err))
}

// recover does what the step's command would: the recovery judges by itself whether it still may.
func (w *applying) recover(ctx context.Context, i Item) Result {
	r := admin.Recovery{
		Target: w.plan.target(), Expect: w.plan.Revision, Consent: admin.Force, Actor: w.report.Actor,
		Saving: admin.Saving{Progress: w.approval.Progress},
	}
	switch w.plan.State {
	case ownership.StateUnproven:
		r.Consent |= admin.AcceptUnproven
	case ownership.StateUnreadable:
		r.Consent |= admin.Quarantine
	}
	if slices.Contains(i.Steps[0].Argv, "--no-snapshot") {
		r.Snapshot = admin.SnapshotSkip
	}
	receipt, err := admin.Recover(ctx, w.store, r)
	if err != nil {
		return result(i, err, failed(err))
	}
	out := result(i, nil, done(""))
	out.Receipt = &receipt
	if receipt.Replayed {
		out.Status, out.Detail = Already, "it is in force, and this is its receipt again"
	}
	return out
}

// stop sends each signal to whoever outlived the one before it.
func (w *applying) stop(ctx context.Context, i Item) Result {
	var left []halt.Process
	for _, t := range i.Targets {
		left = append(left, halt.Process(t))
	}
	var steps []StepResult
	for _, c := range course {
		if len(left) == 0 {
			steps = append(steps, StepResult{Status: Needless, Detail: "they had ended"})
			continue
		}
		sent, remaining, err := halt.End(ctx, left, halt.Stage{Signal: c.signal, Grace: w.approval.grace()})
		if err != nil && len(remaining) > 0 {
			return result(i, err, append(steps, failed(err))...)
		}
		steps = append(steps, done(fmt.Sprintf("sent to %d, %d left", len(sent), len(remaining))))
		left = remaining
	}
	if len(left) > 0 {
		return result(i, fmt.Errorf("these live on after KILL: %s", names(left)), steps...)
	}
	return result(i, nil, steps...)
}

func names(all []halt.Process) string {
	words := make([]string, len(all))
	for n, p := range all {
		words[n] = fmt.Sprintf("%q (pid %d)", p.Program, p.PID)
	}
	return strings.Join(words, ", ")
}

// stopTmux interrupts the session that was found, and destroys that one if it outlives the grace.
func (w *applying) stopTmux(ctx context.Context, i Item) Result {
	s := w.facts.runtime.session
	var steps []StepResult
	if len(i.Steps) > 1 {
		all, err := s.Processes(ctx)
		if err == nil {
			err = s.Interrupt(ctx)
		}
		if err != nil {
			return result(i, err, failed(err))
		}
		left, _ := halt.Await(ctx, all, w.approval.grace()) // who could not be asked is left
		steps = append(steps, done(fmt.Sprintf("%d of %d processes left", len(left), len(all))))
		if len(left) == 0 && w.gone(ctx) {
			return result(i, nil, append(steps, StepResult{Status: Needless, Detail: "it has ended"})...)
		}
	}
	d, err := s.Destroy(ctx, w.approval.grace())
	if err != nil {
		return result(i, err, append(steps, failed(err))...)
	}
	return result(i, nil, append(steps, done(destroyed(d)))...)
}

// gone reports whether the session that was found has ended by itself.
func (w *applying) gone(ctx context.Context) bool {
	now, err := tmux.Find(ctx, w.facts.work.Runtime.Handle)
	return err == nil && (now == nil || now.ID != w.facts.runtime.session.ID)
}

func destroyed(d tmux.Destroyed) string {
	what := fmt.Sprintf("%d processes of its panes are gone", len(d.Ended))
	if len(d.Sent) > 0 {
		what += fmt.Sprintf("; %d more signals were needed", len(d.Sent))
	}
	return what
}

// removeWorktree holds the life lock of the next generation meanwhile, so that nobody can acquire the session (I4), and
// compares everything once more under it.
func (w *applying) removeWorktree(ctx context.Context, i Item) Result {
	var steps []StepResult
	err := w.excluding(ctx, func() error {
		f, err := look(ctx, w.store, w.plan.target())
		if err != nil {
			return err
		}
		if f.seen.Stored.Revision != w.plan.Revision {
			return errors.New("the session was changed at this moment")
		}
		if f.tree == nil || f.tree.Repository != w.facts.tree.Repository {
			return errors.New("it is another worktree by now")
		}
		snapshot := w.report.Snapshot
		if err := f.keepsWorktree(snapshot); err != nil {
			return err
		}
		if err := snapshot.verify(ctx); err != nil {
			return err
		}
		kept, err := w.plan.kept(*snapshot)
		if err == nil {
			err = kept.has(f.tree)
		}
		if err != nil {
			return err
		}
		// The verification can take minutes, in which somebody else than a worker can write.
		if !snapshot.still(ctx, f.work) {
			return errors.New("somebody wrote in it after the snapshot")
		}
		for _, s := range i.Steps {
			if err := f.tree.run(ctx, s.Argv[1:]); err != nil {
				return err
			}
			steps = append(steps, done(""))
		}
		return nil
	})
	if err != nil {
		return result(i, err, append(steps, failed(err))...)
	}
	detail := "its work is in " + w.report.Snapshot.Dir
	if w.report.Anew {
		detail += "; as it was when planned, in " + w.plan.Snapshot.Dir
	}
	r := result(i, nil, steps...)
	r.Detail = detail
	return r
}

// answer types into the very session that was found.
func (w *applying) answer(ctx context.Context, i Item) Result {
	pane, _ := w.facts.activePane()
	if err := w.facts.runtime.session.Type(ctx, pane, w.approval.Intent.Answer); err != nil {
		return result(i, err, failed(err))
	}
	return result(i, nil, done(""), done(""))
}

// tellTracker runs the command that the person has just given, and no other.
func (w *applying) tellTracker(ctx context.Context, i Item) Result {
	cmd := exec.CommandContext(ctx, "sh", "-c", w.approval.Intent.Tracker)
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, said(out))
		return result(i, err, failed(err))
	}
	return result(i, nil, done(said(out)))
}

// said is the end of what a command printed.
func said(out []byte) string {
	const most = 1 << 10
	return strings.TrimSpace(strings.ToValidUTF8(string(out[max(0, len(out)-most):]), "\uFFFD"))
}

// excluding does something while the session cannot be acquired or recovered.
func (w *applying) excluding(ctx context.Context, do func() error) (err error) {
	free, ok := lease.Occupy(w.store, w.plan.KeyDigest)
	if !ok {
		return lease.ErrHeld
	}
	defer free()
	next, err := w.facts.seen.Current().NextGeneration()
	if err != nil {
		return err
	}
	hold, err := w.store.Hold(ctx, w.plan.KeyDigest, next)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, hold.Drop()) }()
	return do()
}
