package cli

import (
	"fmt"
	"time"

	"holdfast/admin"
	"holdfast/lease"
	"holdfast/ownership"
)

// inspection adds what a session is, with everything behind it. Inspect, refusals
// and previews all show it so.
func (p *page) inspection(i lease.Inspection, now time.Time) {
	p.line(p.ink.bold(title(i)) + " is " + p.ink.state(i.State))
	if i.Record == nil || i.Key == nil {
		p.field("digest", i.KeyDigest.String())
	}
	if i.Fault != nil {
		p.field("fault", i.Fault.Error())
	}
	if i.Record != nil {
		p.record(*i.Record, now)
	}
	if i.Revision != nil {
		p.field("revision", i.Revision.String())
	}
	p.pulse(i.Pulse, now)
	p.liveness(i.Liveness)
}

func title(i lease.Inspection) string {
	if i.Key == nil {
		return "session " + i.KeyDigest.String()[:12] + "…"
	}
	return escape(*i.Key)
}

func (p *page) record(r ownership.Record, now time.Time) {
	label := "owner"
	if r.State == ownership.RecordIdle {
		label = "last owner"
	}
	if o := r.Owner; o != nil {
		p.field(label, fmt.Sprintf("%s (%s), pid %d, %s on %s", o.Program, o.Kind, o.PID, o.User, o.Host))
		p.field("since", when(o.AcquiredAt, now))
	}
	if r.Release != nil {
		p.field("release", string(*r.Release))
	}
	p.field("generation", fmt.Sprint(r.Generation))
	p.session(r.Session)
	p.marker(r.LastForcedRecovery, now)
}

func (p *page) session(s ownership.Session) {
	if s.Runtime != nil {
		p.field("runtime", s.Runtime.String())
	}
	p.optional("worktree", s.Worktree)
	p.optional("tracker", s.Tracker)
	p.optional("transcript", s.Transcript)
	p.optional("resume", s.Resume)
}

func (p *page) optional(label string, value *string) {
	if value != nil {
		p.field(label, *value)
	}
}

func (p *page) marker(m *ownership.ForcedRecovery, now time.Time) {
	if m == nil {
		return
	}
	p.field("recovered", fmt.Sprintf("%s, by %s", when(m.RecoveredAt, now), m.Actor))
	p.field("", fmt.Sprintf("owner %s, cleanup %s, outcome %s", m.Liveness, m.Cleanup, m.Outcome))
	if m.Reason != "" {
		p.field("", fmt.Sprintf("reason %q", m.Reason))
	}
	for _, s := range m.Survivors {
		p.field("", fmt.Sprintf("left alive: %s (pid %d)", s.Program, s.PID))
	}
}

func (p *page) pulse(pulse *lease.Pulse, now time.Time) {
	if pulse == nil {
		return
	}
	s := string(pulse.Phase)
	if pulse.Note != "" {
		s += fmt.Sprintf(" %q", pulse.Note)
	}
	p.field("pulse", s+", "+ago(now.Sub(pulse.At.Time())))
}

func (p *page) liveness(l *ownership.Liveness) {
	if l == nil {
		return
	}
	p.field("liveness", string(l.Verdict))
	for _, e := range l.Evidence {
		p.evidence(e)
	}
	for n, h := range l.Holders {
		label := ""
		if n == 0 {
			label = "held by"
		}
		p.field(label, fmt.Sprintf("%s (pid %d, started at tick %d)", h.Program, h.PID, h.StartTicks))
	}
}

// work adds what of value was found in what the record names.
func (p *page) work(all []admin.Work) {
	label := "at stake"
	for _, w := range all {
		p.field(label, fmt.Sprintf("%s %s: %s", w.Kind, w.Path, w.Detail))
		label = ""
	}
}

// planned adds what a recovery would save first.
func (p *page) planned(s *admin.Planned) {
	if s == nil {
		return
	}
	if s.Fault != nil {
		p.line(p.ink.bold("A forced recovery would fail, unless it saves nothing"))
		p.field("since", *s.Fault)
		p.gap()
		return
	}
	p.line(p.ink.bold("A forced recovery would first save"))
	p.each("saved", s.Saves)
	if s.Dir != nil {
		p.field("as", *s.Dir)
	} else if s.Below != nil {
		p.field("below", *s.Below)
	}
	p.gap()
}

// atStake says what a wrong decision about a session can cost, without a look into it.
func atStake(i lease.Inspection) string {
	if i.Record == nil || i.Record.State == ownership.RecordIdle {
		return ""
	}
	what := ""
	if w := i.Record.Session.Worktree; w != nil {
		what = "what is not committed and pushed in " + *w
	}
	if t := i.Record.Session.Tracker; t != nil {
		if what != "" {
			what += "; "
		}
		what += "what the tracker " + *t + " says of this work"
	}
	if what == "" {
		return "nothing that the record names"
	}
	return what + " (not looked into)"
}
