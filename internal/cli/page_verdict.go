package cli

import (
	"fmt"
	"time"

	"holdfast/admin"
	"holdfast/admin/settle"
	"holdfast/lease"
	"holdfast/ownership"
)

func named(key *string, d ownership.Digest) string {
	return title(lease.Inspection{Key: key, KeyDigest: d})
}

// verdict adds what is in the place of a session's verdict.
func (p *page) verdict(s shownVerdict, now time.Time) {
	name := p.ink.bold(named(s.Key, s.KeyDigest))
	switch {
	case s.Verdict != nil:
		p.line(fmt.Sprintf("%s has the verdict %s, from %s", name, p.ink.bold(string(s.Verdict.Outcome)), s.Verdict.Source))
		p.verdictFields(*s.Verdict, now)
	case s.Ignored != nil:
		p.line(name + " has a verdict that cannot be used")
	default:
		p.line(name + " has no verdict")
	}
	p.optional("ignored", s.Ignored)
}

func (p *page) verdictFields(v settle.Verdict, now time.Time) {
	p.field("reason", v.Reason)
	p.field("generation", fmt.Sprint(v.Generation))
	p.field("operation", v.ID.String())
	p.field("written", when(v.WrittenAt, now))
}

// cleared adds what was removed.
func (p *page) cleared(c clearedVerdict, now time.Time) {
	name := p.ink.bold(named(c.Key, c.KeyDigest))
	if !c.Cleared {
		p.line(name + " has no verdict; nothing was changed")
		return
	}
	p.line(name + " has no verdict any more; this one was removed")
	if c.Verdict != nil {
		p.field("outcome", fmt.Sprintf("%s, from %s", c.Verdict.Outcome, c.Verdict.Source))
		p.verdictFields(*c.Verdict, now)
	}
	p.optional("ignored", c.Ignored)
}

// outcome adds what an execution achieved, and who says so.
func (p *page) outcome(o settle.Outcome, now time.Time) {
	by := decider(string(o.DecidedBy), o.Source)
	p.line(fmt.Sprintf("%s: %s, %s", p.ink.bold(named(o.Key, o.KeyDigest)), p.ink.bold(string(o.Outcome)), by))
	p.field("reason", o.Reason)
	p.completed(o.CompletedAt, o.Notes, now)
}

// decider says in words who decided.
func decider[S ~string](by string, source *S) string {
	switch settle.Decider(by) {
	case settle.DecidedByVerdict:
		return "by the verdict from " + string(*source)
	case settle.DecidedByAgent:
		return "by the agent's own word"
	}
	return "decided by nobody"
}

// settled adds how the outcome of a recovery comes about.
func (p *page) settled(s *admin.Settled, now time.Time) {
	if s == nil {
		return
	}
	p.field("settled", decider(s.DecidedBy, s.Source)+": "+s.Reason)
	p.completed(s.CompletedAt, s.Notes, now)
}

// completed adds when an agent stopped, and what was ignored.
func (p *page) completed(at *ownership.Timestamp, notes []string, now time.Time) {
	if at != nil {
		p.field("completed", when(*at, now))
	}
	for n, note := range notes {
		label := "note"
		if n > 0 {
			label = ""
		}
		p.field(label, note)
	}
}

// prunedVerdict adds a line for a verdict that is old, or whose age cannot be told.
func (p *page) prunedVerdict(r settle.Pruned, now time.Time) {
	what := rowTitle(r.Key, r.KeyDigest)
	if v := r.Verdict; v != nil {
		what += fmt.Sprintf("  %s, written %s", v.Outcome, when(v.WrittenAt, now))
	}
	if r.Why != "" {
		what += ": " + r.Why
	}
	p.field(string(r.Action), what)
}

// prunedVerdicts adds the line that says what it comes to.
func (p *page) prunedVerdicts(removed, kept int, dryRun bool) {
	s := "removed " + plural(removed, "verdict")
	if dryRun {
		s = "would remove " + plural(removed, "verdict") + "; nothing was changed"
	}
	if kept > 0 {
		s += fmt.Sprintf("; kept %d", kept)
	}
	p.line(s)
}
