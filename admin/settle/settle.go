package settle

import (
	"fmt"
	"slices"

	"holdfast/ownership"
)

// Settle decides what each execution achieved, in their order. It persists nothing: when
// to save what follows from an outcome is for the caller to decide.
func Settle(executions []Execution) []Outcome {
	return each(executions, func(c *settlement) {
		if !c.byVerdict() && !c.byAgent() {
			c.requeue()
		}
	})
}

// SettleByVerdict decides by verdicts alone, for machines that must not read
// transcripts. What no verdict decides stays unknown: the agent's own word, where it can
// be read, comes next. Any transcript is disregarded.
func SettleByVerdict(executions []Execution) []Outcome {
	blind := slices.Clone(executions)
	for i := range blind {
		blind[i].Transcript = nil
	}
	return each(blind, func(c *settlement) {
		if !c.byVerdict() {
			c.outcome.Reason = "no verdict decides it"
		}
	})
}

func each(executions []Execution, decide func(*settlement)) []Outcome {
	all := make([]Outcome, len(executions))
	for i, e := range executions {
		c := &settlement{execution: e, outcome: Outcome{
			Key: e.Key, KeyDigest: e.Place.KeyDigest, Outcome: ownership.OutcomeUnknown, DecidedBy: DecidedByNone, Notes: []string{},
		}}
		for _, n := range e.Notes {
			c.outcome.note(n)
		}
		c.dropStale()
		decide(c)
		c.date()
		all[i] = c.outcome
	}
	return all
}

// settlement is the settling of one execution.
type settlement struct {
	execution Execution
	outcome   Outcome
}

// dropStale ignores what is not of this execution, and notes it (I12).
func (c *settlement) dropStale() {
	if why := c.execution.staleVerdict(); why != "" {
		c.outcome.note("the verdict is ignored: " + why)
		c.execution.Verdict = nil
	}
	if why := c.execution.staleTranscript(); why != "" {
		c.outcome.note("the transcript is ignored: " + why)
		c.execution.Transcript = nil
	}
	if t := c.execution.Transcript; t != nil && t.Partial {
		c.outcome.note(fmt.Sprintf("the transcript's last lines are longer than the %d bytes that were looked at", TailSize))
	}
}

// Ignored says why v does not count for the latest execution that a record tells of, or
// "" where it does.
func Ignored(r *ownership.Record, v Verdict) string {
	place, ok := PlaceOf(r)
	if !ok {
		return "no execution of its session is known"
	}
	return Execution{Place: place, AcquiredAt: r.Owner.AcquiredAt, Verdict: &v}.staleVerdict()
}

func (e Execution) staleVerdict() string {
	v := e.Verdict
	if v == nil {
		return ""
	}
	if why := e.Place.differs(v.Place()); why != "" {
		return why
	}
	if err := v.check(); err != nil {
		return err.Error()
	}
	return e.before("written", v.WrittenAt)
}

func (e Execution) staleTranscript() string {
	if e.Transcript == nil {
		return ""
	}
	return e.before("last written", e.Transcript.WrittenAt)
}

// before says that something was done before the acquisition, or "". What was done in
// the same millisecond was not.
func (e Execution) before(done string, at ownership.Timestamp) string {
	if !at.Time().Before(e.AcquiredAt.Time()) {
		return ""
	}
	return fmt.Sprintf("it was %s at %s, before the acquisition at %s", done, at, e.AcquiredAt)
}

// final is what the decisions mean that end an execution by themselves.
func (d Decision) final() (o ownership.Outcome, ok bool) {
	switch d {
	case DecisionDone:
		return ownership.OutcomeDone, true
	case DecisionFailed:
		return ownership.OutcomeFailed, true
	case DecisionSkipped:
		return ownership.OutcomeSkipped, true
	case DecisionTimedOut:
		return ownership.OutcomeTimedOut, true
	case DecisionPending:
		return ownership.OutcomeRequeued, true
	}
	return "", false
}

func (c *settlement) byVerdict() bool {
	v := c.execution.Verdict
	if v == nil {
		return false
	}
	what, ok := v.Outcome.final()
	if ok {
		c.outcome.decided(DecidedByVerdict, what, v.Source, v.Reason)
		c.overrule(what)
	}
	return ok
}

// overrule notes what an agent said that a verdict contradicts.
func (c *settlement) overrule(what ownership.Outcome) {
	t := c.execution.Transcript
	if t == nil {
		return
	}
	for _, s := range t.Signals {
		if meant, ok := s.outcome(); ok && meant != what {
			c.outcome.note(fmt.Sprintf("the agent said %s, which the verdict overrules", s))
		}
	}
}

func (c *settlement) byAgent() bool {
	t, v := c.execution.Transcript, c.execution.Verdict
	switch {
	case t == nil || len(t.Signals) == 0:
		return false
	case len(slices.Compact(slices.Sorted(slices.Values(t.Signals)))) > 1:
		c.outcome.note(fmt.Sprintf("the agent contradicts itself, and is not believed: %q", t.Signals))
		return false
	case v != nil && v.withholds() && t.Signals[0] == SignalDone:
		c.outcome.note(fmt.Sprintf("the agent is not believed: it says %s, but by the verdict of %s a review is pending", SignalDone, v.Source))
		return false
	}
	what, ok := t.Signals[0].outcome()
	if ok {
		c.outcome.decided(DecidedByAgent, what, SourceAgent, "the agent said "+string(t.Signals[0]))
	}
	return ok
}

// requeue is the end of whatever nobody has decided: silence is not success.
func (c *settlement) requeue() {
	c.outcome.Outcome = ownership.OutcomeRequeued
	c.outcome.Reason = "neither a verdict nor the agent's own last word decides it"
	if v := c.execution.Verdict; v != nil && v.Reason != "" {
		c.outcome.Reason = v.Reason
	}
}

// date says when the agent stopped writing, never now. The time of a verdict stands in
// where there is no transcript.
func (c *settlement) date() {
	switch t, v := c.execution.Transcript, c.execution.Verdict; {
	case t != nil:
		c.outcome.CompletedAt = &t.WrittenAt
	case v != nil:
		c.outcome.CompletedAt = &v.WrittenAt
		c.outcome.note("when the agent stopped writing is not known: the time is that of the verdict")
	}
}
