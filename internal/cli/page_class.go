package cli

import (
	"slices"

	"holdfast/admin"
	"holdfast/ownership"
)

// classified adds the class of a session with the evidence that is not shown already,
// and what is at stake.
func (p *page) classified(c admin.Classified) {
	if c.Class != nil {
		p.field("class", *c.Class+": "+admin.Class(*c.Class).Meaning())
		for _, e := range c.ClassEvidence {
			if !isShown(c, e) {
				p.evidence(e)
			}
		}
	}
	if len(c.WorkAtRisk) > 0 {
		p.work(c.WorkAtRisk)
		return
	}
	p.field("at stake", atStake(c.Inspection))
}

// isShown holds for what stands under liveness, fault or at stake.
func isShown(c admin.Classified, e ownership.Evidence) bool {
	known := c.Liveness != nil && slices.Contains(c.Liveness.Evidence, e)
	return known || c.Fault != nil && e.Probe == "record" || len(c.WorkAtRisk) > 0 && isWork(e)
}

func isWork(e ownership.Evidence) bool { return e.Probe == "worktree" || e.Probe == "tracker" }

// whyClass is the one line that a table has room for. Where somebody holds the session and
// yet nothing can be told of the worker, it is why, and not that it is held.
func whyClass(r admin.WideRow) string {
	order, lines := []ownership.Finding{ownership.Present, ownership.Unknown, ownership.Absent}, r.ClassEvidence
	if r.State == ownership.StateHeld && *r.Class == string(admin.ClassUnknown) {
		order = []ownership.Finding{ownership.Unknown, ownership.Absent, ownership.Present}
	}
	for _, sure := range order {
		for n := len(lines) - 1; n >= 0; n-- {
			if lines[n].Finding == sure {
				return lines[n].Probe + ": " + lines[n].Detail
			}
		}
	}
	return ""
}
