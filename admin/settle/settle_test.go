package settle_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"holdfast/admin/settle"
	"holdfast/ownership"
)

const (
	done, failed, skipped = settle.SignalDone, settle.SignalFailed, settle.SignalSkipped
	byVerdict, byAgent    = settle.DecidedByVerdict, settle.DecidedByAgent
	byNone                = settle.DecidedByNone
)

// Every line of the table, with every word of the agent against it.
func TestDecisions(t *testing.T) {
	for _, c := range []struct {
		name    string
		verdict *settle.Verdict
		signals []settle.Signal
		want    ownership.Outcome
		by      settle.Decider
	}{
		{"nothing", nil, nil, ownership.OutcomeRequeued, byNone},
		{"agent done", nil, []settle.Signal{done}, ownership.OutcomeDone, byAgent},
		{"agent failed", nil, []settle.Signal{failed}, ownership.OutcomeFailed, byAgent},
		{"agent skipped", nil, []settle.Signal{skipped}, ownership.OutcomeSkipped, byAgent},
		{"agent done twice", nil, []settle.Signal{done, done}, ownership.OutcomeDone, byAgent},
		{"agent done and failed", nil, []settle.Signal{done, failed}, ownership.OutcomeRequeued, byNone},
		{"agent done, skipped, done", nil, []settle.Signal{done, skipped, done}, ownership.OutcomeRequeued, byNone},
		{"no signal of ours", nil, []settle.Signal{"TASK_ABORTED"}, ownership.OutcomeRequeued, byNone},

		{"done, silent agent", verdict(settle.DecisionDone, ""), nil, ownership.OutcomeDone, byVerdict},
		{"done, agent failed", verdict(settle.DecisionDone, ""), []settle.Signal{failed}, ownership.OutcomeDone, byVerdict},
		{"failed, agent done", verdict(settle.DecisionFailed, ""), []settle.Signal{done}, ownership.OutcomeFailed, byVerdict},
		{"skipped, agent done", verdict(settle.DecisionSkipped, ""), []settle.Signal{done}, ownership.OutcomeSkipped, byVerdict},
		{"timed out, agent done", verdict(settle.DecisionTimedOut, ""), []settle.Signal{done}, ownership.OutcomeTimedOut, byVerdict},
		{"done, agent contradicts itself", verdict(settle.DecisionDone, ""), []settle.Signal{done, failed}, ownership.OutcomeDone, byVerdict},

		{"pending, silent agent", verdict(settle.DecisionPending, "later"), nil, ownership.OutcomeRequeued, byVerdict},
		{"pending, agent done", verdict(settle.DecisionPending, "later"), []settle.Signal{done}, ownership.OutcomeRequeued, byVerdict},

		{"in progress, silent agent", verdict(settle.DecisionInProgress, ""), nil, ownership.OutcomeRequeued, byNone},
		{"in progress, agent done", verdict(settle.DecisionInProgress, ""), []settle.Signal{done}, ownership.OutcomeDone, byAgent},
		{"in progress, agent failed", verdict(settle.DecisionInProgress, ""), []settle.Signal{failed}, ownership.OutcomeFailed, byAgent},
		{"in review, silent agent", verdict(settle.DecisionInProgress, "review_pending"), nil, ownership.OutcomeRequeued, byNone},
		{"in review, agent done", verdict(settle.DecisionInProgress, "review_pending"), []settle.Signal{done}, ownership.OutcomeRequeued, byNone},
		{"in review, said in words, agent done", verdict(settle.DecisionInProgress, " review_pending: ana looks"), []settle.Signal{done}, ownership.OutcomeRequeued, byNone},
		{"in another word, agent done", verdict(settle.DecisionInProgress, "review_pending_soon"), []settle.Signal{done}, ownership.OutcomeDone, byAgent},
		{"in review, agent failed", verdict(settle.DecisionInProgress, "review_pending"), []settle.Signal{failed}, ownership.OutcomeFailed, byAgent},
		{"in review, agent skipped", verdict(settle.DecisionInProgress, "review_pending"), []settle.Signal{skipped}, ownership.OutcomeSkipped, byAgent},
		{"in review, agent contradicts itself", verdict(settle.DecisionInProgress, "review_pending"), []settle.Signal{done, failed}, ownership.OutcomeRequeued, byNone},
		{"review pending, but done", verdict(settle.DecisionDone, "review_pending"), []settle.Signal{failed}, ownership.OutcomeDone, byVerdict},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := one(t, execution(c.verdict, c.signals...))
			require.Equal(t, c.want, o.Outcome)
			require.Equal(t, c.by, o.DecidedBy)
			require.Equal(t, c.by == byNone, o.Source == nil)
			require.Equal(t, later, *o.CompletedAt, "when the agent stopped writing")
		})
	}
}

func TestWhatIsSaidOfADecision(t *testing.T) {
	o := one(t, execution(verdict(settle.DecisionPending, "no quota"), done))
	require.Equal(t, settle.SourceReviewGate, *o.Source)
	require.Equal(t, "no quota", o.Reason)
	o = one(t, execution(nil, failed))
	require.Equal(t, settle.SourceAgent, *o.Source)
	o = one(t, execution(nil, done, failed))
	require.Len(t, o.Notes, 1, "a contradiction is noted")
	o = one(t, execution(verdict(settle.DecisionDone, ""), failed))
	require.Equal(t, []string{"the agent said TASK_FAILED, which the verdict overrules"}, o.Notes)
	require.Empty(t, one(t, execution(verdict(settle.DecisionDone, ""), done)).Notes)
	o = one(t, execution(verdict(settle.DecisionInProgress, settle.ReviewPending), done))
	require.Len(t, o.Notes, 1)
	require.Equal(t, settle.ReviewPending, o.Reason)
}

// Freshness is to the millisecond: what was written in that of the acquisition counts.
func TestFreshness(t *testing.T) {
	for d, fresh := range map[time.Duration]bool{-time.Hour: false, -time.Millisecond: false, 0: true, time.Millisecond: true} {
		v := verdict(settle.DecisionDone, "")
		v.WrittenAt = after(d)
		o := one(t, execution(v, done))
		require.Equal(t, fresh, o.DecidedBy == byVerdict, d)
		require.Equal(t, fresh, len(o.Notes) == 0, "what is ignored is noted")

		e := execution(nil, done)
		e.Transcript.WrittenAt = after(d)
		o = one(t, e)
		require.Equal(t, fresh, o.Outcome == ownership.OutcomeDone, d)
		require.Equal(t, fresh, o.CompletedAt != nil, "a stale transcript dates nothing")
		require.Equal(t, fresh, len(o.Notes) == 0)
	}
}

// A verdict counts in its own place only, and falls through with a note elsewhere (I12).
func TestPlaceMustMatch(t *testing.T) {
	for name, change := range map[string]func(*settle.Verdict){
		"session":             func(v *settle.Verdict) { v.KeyDigest[0]++ },
		"previous generation": func(v *settle.Verdict) { v.Generation-- },
		"next generation":     func(v *settle.Verdict) { v.Generation++ },
		"operation":           func(v *settle.Verdict) { v.ID[0]++ },
		"decision":            func(v *settle.Verdict) { v.Outcome = "perfect" },
		"source":              func(v *settle.Verdict) { v.Source = "oracle" },
		"reason":              func(v *settle.Verdict) { v.Reason = "\xff" },
	} {
		t.Run(name, func(t *testing.T) {
			v := verdict(settle.DecisionFailed, "")
			change(v)
			o := one(t, execution(v, done))
			require.Equal(t, ownership.OutcomeDone, o.Outcome)
			require.Equal(t, byAgent, o.DecidedBy)
			require.Len(t, o.Notes, 1)
			require.True(t, utf8.ValidString(o.Notes[0]))
		})
	}
}

// A verdict of an earlier execution withholds no belief from this one.
func TestAStaleReviewWithholdsNothing(t *testing.T) {
	v := verdict(settle.DecisionInProgress, settle.ReviewPending)
	v.Generation--
	require.Equal(t, ownership.OutcomeDone, one(t, execution(v, done)).Outcome)
}

func TestCompletionTimeWithoutTranscript(t *testing.T) {
	e := execution(verdict(settle.DecisionDone, ""))
	e.Transcript = nil
	o := one(t, e)
	require.Equal(t, e.Verdict.WrittenAt, *o.CompletedAt)
	require.Len(t, o.Notes, 1, "that it is the verdict's time is said")
	e.Verdict = nil
	require.Nil(t, one(t, e).CompletedAt)
}

// Half of the table is for machines that must not read transcripts.
func TestSettleByVerdict(t *testing.T) {
	executions := []settle.Execution{
		execution(verdict(settle.DecisionFailed, "")),
		execution(verdict(settle.DecisionInProgress, ""), done),
		execution(nil, done),
		execution(verdict(settle.DecisionPending, "later"), done),
	}
	all := settle.SettleByVerdict(executions)
	require.Equal(t, ownership.OutcomeFailed, all[0].Outcome)
	for _, o := range all[1:3] {
		require.Equal(t, ownership.OutcomeUnknown, o.Outcome, "neither done nor requeued")
		require.Equal(t, byNone, o.DecidedBy)
	}
	require.Equal(t, ownership.OutcomeRequeued, all[3].Outcome)
	require.NotNil(t, executions[1].Transcript, "what was given is left alone")
	require.Nil(t, all[2].CompletedAt, "nothing of the transcript is used")
}

// The order is kept, and nothing that was given is changed.
func TestSettleIsPure(t *testing.T) {
	stale := verdict(settle.DecisionDone, "")
	stale.Generation++
	given := []settle.Execution{execution(stale), execution(nil, done), execution(nil, failed)}
	given[0].Notes = append(make([]string, 0, 8), "a note")
	first, second := settle.Settle(given), settle.Settle(given)
	require.Equal(t, first, second)
	require.Equal(t, []ownership.Outcome{"requeued", "done", "failed"}, []ownership.Outcome{first[0].Outcome, first[1].Outcome, first[2].Outcome})
	require.Same(t, stale, given[0].Verdict)
	require.Empty(t, settle.Settle(nil))
}

func TestTextIsBoundedAtCharacters(t *testing.T) {
	long := strings.Repeat("日", settle.MaxReasonSize)
	e := execution(nil)
	e.Notes = []string{long, "a\xffb"}
	o := one(t, e)
	for _, n := range o.Notes {
		require.True(t, utf8.ValidString(n))
		require.LessOrEqual(t, len(n), 1024)
	}
	require.Equal(t, "a\uFFFDb", o.Notes[1])
	for limit := range 8 {
		s := settle.Cut("aé日😀", limit)
		require.True(t, utf8.ValidString(s))
		require.True(t, strings.HasPrefix("aé日😀", s))
		require.LessOrEqual(t, len(s), limit)
	}
	require.Equal(t, "aé日", settle.Cut("aé日😀", 6))
	require.Equal(t, "aé日😀", settle.Cut("aé日😀", 10))
}

// A record tells of the execution of its owner: after a forced recovery that is the one
// of the generation before, and after a quarantine there is none.
func TestPlaceOf(t *testing.T) {
	owner := ownership.Owner{OperationID: place.ID, AcquiredAt: acquired}
	r := ownership.Record{KeyDigest: place.KeyDigest, Generation: 7, State: ownership.RecordActive, Owner: &owner}
	p, ok := settle.PlaceOf(&r)
	require.True(t, ok)
	require.Equal(t, place, p)
	forced, err := ownership.Recover(ownership.Current{Record: &r}, ownership.Force{})
	require.NoError(t, err)
	require.Equal(t, ownership.Generation(8), forced.Generation)
	p, ok = settle.PlaceOf(&forced)
	require.True(t, ok)
	require.Equal(t, place, p)
	v := verdict(settle.DecisionDone, "")
	require.Empty(t, settle.Ignored(&forced, *v))
	v.Generation = 8
	require.NotEmpty(t, settle.Ignored(&forced, *v))

	aside := ownership.Quarantine(place.KeyDigest, ownership.Revision{1}, 9, ownership.Force{})
	_, ok = settle.PlaceOf(&aside)
	require.False(t, ok)
	require.NotEmpty(t, settle.Ignored(&aside, *v))
	_, ok = settle.PlaceOf(nil)
	require.False(t, ok)
}
