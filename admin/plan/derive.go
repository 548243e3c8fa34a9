package plan

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"holdfast/admin"
	"holdfast/internal/tmux"
	"holdfast/ownership"
)

// The ids of items.
const (
	AnswerPrompt   = "answer-prompt"
	LockWorktree   = "lock-worktree"
	TellTracker    = "tell-tracker"
	StopWorker     = "stop-worker"
	StopRuntime    = "stop-runtime"
	Recover        = "recover"
	RemoveWorktree = "remove-worktree"
	RemoveBranch   = "remove-branch" // with its worktree
)

// proposal is what the facts come to.
type proposal struct {
	items    []Item
	withheld []Withheld
}

// derive is the one function that knows which items there are. It is pure.
func (f facts) derive(snapshot *Snapshot, intent Intent, store []string) proposal {
	p := &proposal{items: []Item{}, withheld: []Withheld{}}
	f.answerPrompt(p, intent)
	f.lockWorktree(p)
	f.tellTracker(p, intent)
	f.stopWorker(p)
	f.stopRuntime(p)
	f.recover(p, store)
	f.removeWorktree(p, snapshot)
	return *p
}

func (p *proposal) add(id string, gate Gate, why string, targets []ownership.Process, steps ...Step) {
	p.items = append(p.items, Item{ID: id, Gate: gate, Why: why, Steps: steps, Targets: append([]ownership.Process{}, targets...)})
}

func (p *proposal) withhold(id, why string, args ...any) {
	p.withheld = append(p.withheld, Withheld{id, fmt.Sprintf(why, args...)})
}

func step(rollback Rollback, argv ...string) Step { return Step{argv, rollback} }

func by(why string, argv ...string) Rollback { return Rollback{append([]string{}, argv...), why} }

// never says why a step cannot be taken back.
func never(why string) Rollback { return by(why) }

// answerPrompt proposes to type what the person said, where somebody can hear it.
func (f facts) answerPrompt(p *proposal, intent Intent) {
	pane, ok := f.activePane()
	waits := f.seen.Class != nil && *f.seen.Class == string(admin.ClassWaiting)
	switch {
	case intent.Answer == "" && waits && ok:
		p.withhold(AnswerPrompt, "it waits for input: say what to type with --answer TEXT")
	case intent.Answer == "":
	case !ok:
		p.withhold(AnswerPrompt, "no tmux session is declared that is alive and could be answered")
	default:
		s := f.runtime.session
		p.add(AnswerPrompt, Irreversible, "type the answer where the worker waits for it", f.runtime.program,
			step(never("nothing: what was typed was read"), s.Command("send-keys", "-t", pane.ID, "-l", "--", intent.Answer)...),
			step(never("nothing: what was typed was read"), s.Command("send-keys", "-t", pane.ID, "Enter")...))
	}
}

func (f facts) activePane() (tmux.Pane, bool) {
	for _, p := range f.runtime.panes {
		if p.Active {
			return p, f.runtime.fault == nil
		}
	}
	return tmux.Pane{}, false
}

// tellTracker proposes the tracker's own command, which only the person knows.
func (f facts) tellTracker(p *proposal, intent Intent) {
	switch {
	case intent.Tracker == "":
	case intent.TrackerUndo == "":
		p.add(TellTracker, Irreversible, "release or reassign the work in its tracker", nil,
			step(never("nothing that is known: --tracker-undo says what"), "sh", "-c", intent.Tracker))
	default:
		p.add(TellTracker, Write, "release or reassign the work in its tracker", nil,
			step(by("tell the tracker the contrary", "sh", "-c", intent.TrackerUndo), "sh", "-c", intent.Tracker))
	}
}

// lockReason is what marks a lock of ours.
func (f facts) lockReason() string {
	return fmt.Sprintf("holdfast: session %s may have work here", cmp.Or(text(f.seen.Key), f.seen.KeyDigest.String()))
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return strconv.Quote(*s)
}

func (f facts) lockWorktree(p *proposal) {
	switch t := f.tree; {
	case f.treeErr != nil:
		p.withhold(LockWorktree, "the worktree cannot be looked at: %v", f.treeErr)
	case t == nil:
	case t.locked:
		p.withhold(LockWorktree, "it is locked already, for the reason %q", t.reason)
	default:
		p.add(LockWorktree, Write, "keep: git neither prunes nor removes a locked worktree, and says why", nil,
			step(by("unlock it", "git", "-C", t.CommonDir, "worktree", "unlock", t.Worktree),
				"git", "-C", t.CommonDir, "worktree", "lock", "--reason", f.lockReason(), t.Worktree))
	}
}

const notStartedAgain = "nothing: a process that has ended cannot be started again where it was"

func (f facts) stopWorker(p *proposal) {
	if f.unnamed != nil {
		p.withhold(StopWorker, "%v", f.unnamed)
		return
	}
	if len(f.worker) > 0 {
		why := "stop a worker that hangs: each signal only to whoever outlives the one before it, and its grace"
		p.add(StopWorker, Irreversible, why, f.worker, killSteps(f.worker)...)
	}
}

func killSteps(all []ownership.Process) (steps []Step) {
	for _, s := range course {
		argv := []string{"kill", "-" + s.name}
		for _, t := range all {
			argv = append(argv, strconv.Itoa(t.PID))
		}
		steps = append(steps, step(never(notStartedAgain), argv...))
	}
	return steps
}

func (f facts) stopRuntime(p *proposal) {
	switch r := f.runtime; {
	case r.fault != nil:
		p.withhold(StopRuntime, "whether runtime %s is alive cannot be told: %v", f.work.Runtime, r.fault)
	case r.process != nil:
		targets := []ownership.Process{*r.process}
		p.add(StopRuntime, Irreversible, "the declared runtime is alive", targets, killSteps(targets)...)
	case r.session != nil:
		p.add(StopRuntime, Irreversible, "the declared tmux session is alive; the processes of its panes end with it, or get TERM and KILL", r.program, f.tmuxSteps()...)
	}
}

func (f facts) tmuxSteps() (steps []Step) {
	s := f.runtime.session
	if keys := interrupts(f); len(keys) > 0 {
		steps = append(steps, step(never("nothing: what was interrupted may go on by itself"), s.Command(keys...)...))
	}
	return append(steps, step(never(notStartedAgain), s.Command("kill-session", "-t", s.Target())...))
}

func interrupts(f facts) (words []string) {
	for _, pane := range f.runtime.panes {
		if len(words) > 0 {
			words = append(words, ";")
		}
		words = append(words, "send-keys", "-t", pane.ID, "C-c")
	}
	return words
}

// recover proposes what the session itself offers as the next command.
func (f facts) recover(p *proposal, store []string) {
	gate := Irreversible
	switch f.seen.State {
	case ownership.StateStranded:
		gate = Write
	case ownership.StateUnproven, ownership.StateUnreadable:
	default:
		return
	}
	for _, n := range f.seen.Next {
		if slices.Contains(n.Argv, "--force") && n.Argv[1] == "recover" {
			p.add(Recover, gate, n.Why, nil, step(
				never("acquire it again, with what resumes the agent; every earlier record stays in history"),
				slices.Insert(slices.Clone(n.Argv), 1, store...)...))
		}
	}
}

func (f facts) removeWorktree(p *proposal, snapshot *Snapshot) {
	if f.tree == nil {
		return
	}
	if err := f.keepsWorktree(snapshot); err != nil {
		p.withhold(RemoveWorktree, "%v", err)
		return
	}
	t := f.tree
	p.add(RemoveWorktree, Irreversible, "the session is idle and everything in the worktree is in the snapshot; the default is to keep it", nil, t.removal(snapshot))
	if t.branch != "" && t.tip != "" {
		p.items = append(p.items, t.branchItem(snapshot))
	}
}

func (t *tree) removal(s *Snapshot) Step {
	return step(by("rebuild it from the snapshot, as a repository of its own", "session", "snapshot", "restore", s.Dir, "--into", t.Worktree),
		"git", "-C", t.CommonDir, "worktree", "remove", "--force", t.Worktree)
}

func (t *tree) branchItem(s *Snapshot) Item {
	var p proposal
	p.add(RemoveBranch, Irreversible, "likewise, and its branch too, whose commits are in the snapshot", nil, t.removal(s),
		step(by("make it again, until git has collected its commits", "git", "-C", t.CommonDir, "branch", "--", t.branch, t.tip),
			"git", "-C", t.CommonDir, "-c", "core.hooksPath=/dev/null", "branch", "-D", "--", t.branch))
	return p.items[0]
}

// keepsWorktree returns why the worktree must stay.
func (f facts) keepsWorktree(s *Snapshot) error {
	t := f.tree
	switch {
	case t.locked:
		return fmt.Errorf("it is locked, for the reason %q", t.reason)
	case f.seen.State != ownership.StateIdle:
		return fmt.Errorf("the session is %s: that has to be settled first", f.seen.State)
	case f.runtime.alive() || f.runtime.fault != nil:
		return fmt.Errorf("runtime %s may still work in it", f.work.Runtime)
	case len(t.inhabitant) > 0:
		return fmt.Errorf("%q (pid %d) works in it", t.inhabitant[0].Program, t.inhabitant[0].PID)
	case t.unseen != nil:
		return fmt.Errorf("whether anybody works in it cannot be told: %v", t.unseen)
	case s == nil:
		return errors.New("there is no snapshot of it")
	case len(s.LeavesOut) > 0:
		return fmt.Errorf("the snapshot does not surely have all of it: %s", strings.Join(s.LeavesOut, "; "))
	}
	return nil
}
