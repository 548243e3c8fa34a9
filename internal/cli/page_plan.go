package cli

import (
	"fmt"

	"holdfast/admin/plan"
)

// plan adds what is proposed, each command on a line of its own that can be copied.
func (p *page) plan(w plan.Plan, file string, store, intent []string) {
	p.line("plan for " + p.ink.bold(named(w.Key, w.KeyDigest)) + ", " + p.ink.state(w.State) + classWord(w.Class))
	p.field("revision", w.Revision.String())
	p.field("written to", file)
	if s := w.Snapshot; s != nil {
		p.field("snapshot", s.Dir)
		p.field("manifest", s.Manifest)
		p.each("left out", s.LeavesOut)
	}
	for _, i := range w.Items {
		p.gap()
		p.item(i, file, store, intent)
	}
	if len(w.Items) == 0 {
		p.gap()
		p.line("There is nothing to do.")
	}
	for n, h := range w.Withheld {
		if n == 0 {
			p.gap()
			p.line("Not proposed")
		}
		p.about(h.ID, h.Why)
	}
}

func (p *page) item(i plan.Item, file string, store, intent []string) {
	p.line(p.ink.bold(i.ID) + " (" + string(i.Gate) + ")")
	p.field("why", i.Why)
	for _, t := range i.Targets {
		p.field(reaches(i.ID), fmt.Sprintf("%s (pid %d, started at tick %d)", t.Program, t.PID, t.StartTicks))
	}
	p.steps(i.Steps)
	if i.Gate == plan.Irreversible && file != "" {
		argv := append(append([]string{"session"}, store...), "apply", file, "--approve", i.ID)
		argv = append(argv, intent...)
		p.line(indent + p.ink.dim("# approve it, alone"))
		p.line(indent + shellCommand(argv))
	}
}

// reaches says what an item does to its targets.
func reaches(id string) string {
	if id == plan.AnswerPrompt {
		return "answers"
	}
	return "stops"
}

// steps adds commands, and under each how it is taken back; what is the same for
// several stands once.
func (p *page) steps(all []plan.Step) {
	for n, s := range all {
		p.line(indent + p.ink.dim("$ ") + p.ink.bold(shellCommand(s.Argv)))
		if n+1 < len(all) && all[n+1].Rollback.Why == s.Rollback.Why {
			continue
		}
		p.field("undo", s.Rollback.Why)
		if len(s.Rollback.Argv) > 0 {
			p.line(indent + indent + shellCommand(s.Rollback.Argv))
		}
	}
}

// report adds what became of each approved item.
func (p *page) report(r plan.Report) {
	p.line(p.ink.bold(named(r.Key, r.KeyDigest)) + ": " + fmt.Sprintf("%d of %d approved items done", r.Count(plan.Done)+r.Count(plan.Already), len(r.Results)))
	if r.Snapshot != nil && r.Anew {
		p.field("snapshot", r.Snapshot.Dir+", taken now: something was written after the plan's")
	}
	for _, i := range r.Results {
		p.about(i.ID, outcomeOf(string(i.Status), i.Detail))
		for _, s := range i.Steps {
			p.line(indent + indent + p.ink.dim("$ ") + shellCommand(s.Argv))
			p.about("", outcomeOf(string(s.Status), s.Detail))
		}
		if i.Receipt != nil {
			p.about("", fmt.Sprintf("generation %d, revision %s", i.Receipt.Generation, i.Receipt.Revision))
		}
	}
}

func classWord(class *string) string {
	if class == nil {
		return ""
	}
	return ", class " + *class
}

// idWidth is the width of the longest id of an item.
const idWidth = 15

// about adds what there is to say of an item.
func (p *page) about(id, value string) {
	p.hang(indent+pad(id, idWidth)+" ", len(indent)+idWidth+1, value)
}

func outcomeOf(what, detail string) string {
	if detail == "" {
		return what
	}
	return what + " (" + detail + ")"
}
