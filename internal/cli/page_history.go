package cli

import (
	"fmt"
	"strings"
	"time"

	"holdfast/admin"
	"holdfast/admin/plan"
	"holdfast/lease"
	"holdfast/ownership"
)

// tenure is what one owner did with a session, from its acquisition to its end.
type tenure struct {
	began     admin.Entry
	described int
	decided   []admin.Entry // what was approved of a plan, and what became of it
	ended     *admin.Entry
	now       *lease.Inspection // what the session is, for the latest tenure only
}

// human gathers an entry for people, and shows what is complete.
func (t *telling) human(e admin.Entry) {
	switch e.Event {
	case admin.EventAcquire:
		t.flush()
		t.tenure = &tenure{began: e}
	case admin.EventDescribe:
		if t.tenure != nil {
			t.tenure.described++
		}
	case plan.EventApprove, plan.EventApply:
		if t.tenure == nil {
			t.show(func(p *page) { p.entry(e) })
			return
		}
		t.tenure.decided = append(t.tenure.decided, e)
	case admin.EventRelease, admin.EventRecover:
		if t.tenure == nil {
			t.show(func(p *page) { p.entry(e) })
			return
		}
		t.tenure.ended = &e
		t.flush()
	default:
		t.flush()
		t.show(func(p *page) { p.entry(e) })
	}
}

// flush shows a tenure, ended or not.
func (t *telling) flush() {
	if t.tenure != nil {
		ended := *t.tenure
		t.show(func(p *page) { p.tenure(ended) })
	}
	t.tenure = nil
}

// show adds to what was shown, under one title.
func (t *telling) show(fill func(*page)) {
	v := t.v
	v.stdout.show(v.page(&v.stdout), func(p *page) {
		if t.title != "" && !t.titled {
			p.line(p.ink.bold(t.title))
		}
		fill(p)
	})
	t.titled = true
}

// stamp is a moment in a column.
func stamp(at *ownership.Timestamp) string {
	if at == nil {
		return strings.Repeat(" ", stampWidth)
	}
	return at.Time().Format("2006-01-02 15:04:05Z")
}

const stampWidth = 20

// tenure adds who had the session, since when, for how long, and how that ended.
func (p *page) tenure(t tenure) {
	o := t.began.Record.Owner
	lead := indent + p.ink.dim(stamp(t.began.At)) + indent
	p.hang(lead+p.ink.bold(pad(fmt.Sprint(*t.began.Generation), 3))+" ", 2*len(indent)+stampWidth+4,
		fmt.Sprintf("%s (%s), pid %d, %s on %s", o.Program, o.Kind, o.PID, o.User, o.Host))
	if t.described > 0 {
		p.under("changed what is known of the session " + times(t.described))
	}
	for _, e := range t.decided {
		p.under(decision(e))
	}
	switch {
	case t.ended == nil:
		p.under(open(t))
	case t.ended.Event == admin.EventRelease:
		p.under("released after " + lasted(t))
	default:
		p.under("ended by force after " + lasted(t))
		p.forced(*t.ended)
	}
}

// open says what became of a tenure without an end in history: that is missing, or yet to
// come.
func open(t tenure) string {
	if t.now == nil {
		return "how it ended is missing"
	}
	r := t.now.Record
	if r == nil || r.Generation != *t.began.Generation || r.State != ownership.RecordActive {
		return "not released when its history was read"
	}
	switch t.now.State {
	case ownership.StateHeld:
		return "held now" + heldBy(t.now.Liveness)
	case ownership.StateStranded:
		return "never released, and nobody is there: stranded"
	}
	return "not released, and whether anybody is there cannot be told from here: " + string(t.now.State)
}

func heldBy(l *ownership.Liveness) string {
	if l == nil || len(l.Holders) == 0 {
		return ""
	}
	return fmt.Sprintf(" by %s (pid %d)", l.Holders[0].Program, l.Holders[0].PID)
}

// decision says what somebody approved of a plan, or what became of that.
func decision(e admin.Entry) string {
	if e.Event == plan.EventApply {
		return "applied " + *e.Reason
	}
	return *e.Actor + " approved " + *e.Reason
}

func lasted(t tenure) string {
	d := t.ended.At.Time().Sub(t.began.At.Time())
	if d < time.Second {
		return "less than a second"
	}
	return span(d)
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// under adds a line below what happened.
func (p *page) under(s string) {
	width := 2*len(indent) + stampWidth + 4
	p.hang(fmt.Sprintf("%*s", width, ""), width, s)
}

// forced adds a forced recovery: who, why, and what it displaced.
func (p *page) forced(e admin.Entry) {
	m := e.Record.LastForcedRecovery
	lead := indent + p.ink.dim(stamp(e.At)) + indent
	p.hang(lead+p.ink.bold(pad(fmt.Sprint(*e.Generation), 3))+" ", 2*len(indent)+stampWidth+4,
		fmt.Sprintf("forced recovery by %s", m.Actor))
	if m.Reason != "" {
		p.under(fmt.Sprintf("reason %q", m.Reason))
	}
	p.under(displaced(*m))
	p.settledUnder(e.Settled)
	for _, s := range m.Survivors {
		p.under(fmt.Sprintf("left alive: %s (pid %d)", s.Program, s.PID))
	}
}

// settledUnder adds how an outcome came about, where the archive knows.
func (p *page) settledUnder(s *admin.Settled) {
	if s == nil {
		return
	}
	p.under(fmt.Sprintf("%s: %s", decider(s.DecidedBy, s.Source), s.Reason))
	if s.CompletedAt != nil {
		p.under("its agent stopped writing at " + stamp(s.CompletedAt))
	}
	for _, note := range s.Notes {
		p.under("note: " + note)
	}
}

func displaced(m ownership.ForcedRecovery) string {
	what := "displaced what was no record"
	if m.DisplacedGeneration != nil {
		what = fmt.Sprintf("displaced generation %d", *m.DisplacedGeneration)
	}
	return fmt.Sprintf("%s: owner %s, cleanup %s, outcome %s", what, m.Liveness, m.Cleanup, m.Outcome)
}

// entry adds one line of history by itself.
func (p *page) entry(e admin.Entry) {
	if e.Event == admin.EventGap {
		p.gapInHistory(e)
		return
	}
	if e.Record != nil && e.Record.Release != nil && *e.Record.Release == ownership.ReleaseForced {
		p.forced(e)
		return
	}
	what := ""
	if e.KeyDigest != nil {
		what = rowTitle(e.Key, *e.KeyDigest) + "  "
	}
	what += e.Event
	if e.Generation != nil {
		what += fmt.Sprintf(" %d", *e.Generation)
	}
	if e.Actor != nil {
		what += " by " + *e.Actor
	}
	if e.Settled != nil {
		what += ", outcome " + string(e.Settled.Outcome)
	}
	if e.Reason != nil {
		what += fmt.Sprintf(": %s", *e.Reason)
	}
	p.hang(indent+p.ink.dim(stamp(e.At))+indent, 2*len(indent)+stampWidth, what)
}

func (p *page) gapInHistory(e admin.Entry) {
	p.hang(indent+p.ink.in("1;31", pad("gap", stampWidth))+indent, 2*len(indent)+stampWidth, *e.Reason)
	if e.Revision != nil {
		p.hang(fmt.Sprintf("%*s", 2*len(indent)+stampWidth, ""), 2*len(indent)+stampWidth, "revision "+e.Revision.String())
	}
}
