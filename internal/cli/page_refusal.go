package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"holdfast/admin"
	"holdfast/lease"
	"holdfast/ownership"
)

// refusal adds why there is no answer, what it was decided on, and what to type.
func (p *page) refusal(r refusal) {
	p.text("session: " + r.Message)
	if r.Inspection != nil {
		p.gap()
		p.inspection(*r.Inspection, time.Now())
		p.stakes(r)
	}
	if r.Preview != nil {
		p.against(*r.Preview, r.Inspection.Liveness)
		p.gap()
		p.preview(*r.Preview)
	}
	if r.unchanged || r.Hint != "" {
		p.gap()
	}
	if r.unchanged {
		p.line("Nothing was changed.")
	}
	p.text(r.Hint)
	p.next(r.Next)
}

// next adds what can be typed, under a line of its own.
func (p *page) next(all []lease.Next) {
	if len(all) > 0 {
		p.gap()
		p.line("What you can type:")
		p.commands(all)
	}
}

// stakes adds what a wrong decision can cost, as far as that was looked into.
func (p *page) stakes(r refusal) {
	if r.Preview != nil && len(r.Preview.WorkAtRisk) > 0 {
		p.work(r.Preview.WorkAtRisk)
		return
	}
	p.field("at stake", atStake(*r.Inspection))
}

// preview adds what a forced recovery would do.
func (p *page) preview(w admin.Preview) {
	e := w.Effect
	p.planned(w.Snapshot)
	p.line(p.ink.bold("A forced recovery would write"))
	p.field("state", fmt.Sprintf("%s, %s", e.State, e.Release))
	p.field("generation", fmt.Sprint(e.Generation))
	p.field("by", e.Actor)
	p.field("reason", e.Reason)
	p.field("known", fmt.Sprintf("owner %s, cleanup %s, outcome %s", e.Liveness, e.Cleanup, e.Outcome))
	p.settled(e.Settled, time.Now())
	for _, s := range e.Survivors {
		p.field("left alive", fmt.Sprintf("%s (pid %d)", s.Program, s.PID))
	}
	p.field("kept", strings.Join(e.Kept, "; "))
}

// against adds what a preview found beyond what the inspection shows.
func (p *page) against(w admin.Preview, known *ownership.Liveness) {
	for _, line := range w.Evidence {
		if known == nil || !slices.Contains(known.Evidence, line) {
			p.evidence(line)
		}
	}
	for _, s := range w.Suspects {
		p.field("suspect", fmt.Sprintf("%s (pid %d) %s", s.Program, s.PID, s.Why))
	}
}
