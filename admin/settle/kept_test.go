package settle_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/admin"
	"holdfast/admin/settle"
	"holdfast/lease"
	"holdfast/ownership"
)

func TestSetReadSettleClear(t *testing.T) {
	w := newWorld(t)
	w.strand()
	none, err := settle.Read(t.Context(), w.store, w.key.Digest())
	require.NoError(t, err)
	require.Zero(t, none)
	for _, d := range settle.Decisions {
		v := w.verdict(d)
		w.set(v)
		kept, err := settle.Read(t.Context(), w.store, w.key.Digest())
		require.NoError(t, err)
		require.Equal(t, v, *kept.Verdict)
	}
	cleared, err := settle.Clear(t.Context(), w.store, w.key.Digest())
	require.NoError(t, err)
	require.Equal(t, settle.DecisionInProgress, cleared.Verdict.Outcome)
	require.NoFileExists(t, w.file())
	cleared, err = settle.Clear(t.Context(), w.store, w.key.Digest())
	require.NoError(t, err)
	require.Zero(t, cleared, "there was none")
}

// A refused verdict changes no byte (I8), and creates nothing.
func TestAVerdictOnAnotherExecutionIsRefused(t *testing.T) {
	w := newWorld(t)
	refused := func(v settle.Verdict, why ownership.Reason) {
		t.Helper()
		before := w.bytes()
		err := settle.Set(t.Context(), w.store, v)
		var refusal *lease.Refusal
		require.ErrorAs(t, err, &refusal)
		require.Equal(t, why, refusal.Reason)
		require.Equal(t, before, w.bytes())
	}
	v := *verdict(settle.DecisionDone, "")
	v.KeyDigest = w.key.Digest()
	refused(v, ownership.ReasonOwnershipLost)
	require.NoDirExists(t, w.path)

	w.idle()
	v = w.verdict(settle.DecisionDone)
	w.set(v)
	other := v
	other.ID[0]++
	refused(other, ownership.ReasonOwnershipLost)
	w.idle()
	refused(v, ownership.ReasonOwnershipLost)
	require.Equal(t, ownership.OutcomeRequeued, w.settled().Outcome, "the verdict on generation 1 says nothing of 2")
	require.NotEmpty(t, w.settled().Notes)

	require.NoError(t, os.WriteFile(strings.Replace(w.file(), "verdict", "record", 1), []byte("{"), 0o600))
	refused(v, ownership.ReasonUnreadableRecord)
}

// What breaks a rule is refused although the place is right, and nothing is stored.
func TestAWrongVerdictIsNotStored(t *testing.T) {
	w := newWorld(t)
	w.idle()
	v := w.verdict("perfect")
	var field *ownership.FieldError
	require.ErrorAs(t, settle.Set(t.Context(), w.store, v), &field)
	require.NoFileExists(t, w.file())
	v = w.verdict(settle.DecisionDone)
	v.Reason = strings.Repeat("日", settle.MaxReasonSize)
	w.set(v)
	require.NotEmpty(t, w.settled().Reason, "a reason that is too long is cut")
}

// After a forced recovery the record has a generation of its own; the execution that
// can be settled is the displaced one.
func TestTheDisplacedExecutionIsSettled(t *testing.T) {
	w := newWorld(t)
	w.strand()
	w.set(w.verdict(settle.DecisionTimedOut))
	i := w.inspect()
	o := settle.OutcomeFor(t.Context(), w.store, i)
	require.Equal(t, ownership.OutcomeTimedOut, o.Outcome)
	_, err := admin.Recover(t.Context(), w.store, admin.Recovery{Target: admin.ByKey(w.key), Expect: *i.Revision, Consent: admin.Force})
	require.NoError(t, err)
	require.Equal(t, ownership.Generation(2), w.inspect().Record.Generation)
	require.Equal(t, ownership.OutcomeTimedOut, w.settled().Outcome)
	w.set(w.verdict(settle.DecisionFailed))
	require.Equal(t, ownership.OutcomeFailed, w.settled().Outcome)
}

// Whatever a settled outcome is, a marker can hold it.
func TestEveryOutcomeFitsTheMarker(t *testing.T) {
	w := newWorld(t)
	w.strand()
	for _, d := range settle.Decisions {
		w.set(w.verdict(d))
		i := w.inspect()
		o := settle.OutcomeFor(t.Context(), w.store, i)
		r, err := ownership.Recover(i.Current(), ownership.Force{At: later, Actor: "a@b", Liveness: ownership.Gone, Outcome: o.Outcome})
		require.NoError(t, err)
		_, err = ownership.Encode(r)
		require.NoError(t, err, o.Outcome)
	}
}

func TestOutcomeForNeverFails(t *testing.T) {
	w := newWorld(t)
	o := settle.OutcomeFor(t.Context(), w.store, w.inspect())
	require.Equal(t, ownership.OutcomeUnknown, o.Outcome)
	w.strand()
	w.set(w.verdict(settle.DecisionFailed))
	over, cancel := context.WithCancel(t.Context())
	i := w.inspect()
	cancel()
	o = settle.OutcomeFor(over, w.store, i)
	require.Equal(t, ownership.OutcomeUnknown, o.Outcome, "a verdict that could not be asked for may be there and decide")
	require.NotEmpty(t, o.Reason)
}

func TestTheTranscriptOfTheRecordDecides(t *testing.T) {
	w := newWorld(t)
	w.says("TASK_DONE\n")
	require.NoError(t, os.Chtimes(w.transcript, time.Now(), time.Now().Add(-time.Minute)))
	w.strand()
	o := w.settled()
	require.Equal(t, ownership.OutcomeRequeued, o.Outcome, "what an earlier agent said")
	require.Len(t, o.Notes, 1)
	w.says("working\n")
	require.Equal(t, ownership.OutcomeRequeued, w.settled().Outcome, "silence is not success")
	w.says("working\nTASK_DONE\n")
	require.Equal(t, ownership.OutcomeDone, w.settled().Outcome)
	o, err := settle.Session(t.Context(), w.store, w.inspect(), write(t, "TASK_FAILED\n"))
	require.NoError(t, err)
	require.Equal(t, ownership.OutcomeFailed, o.Outcome, "the transcript that is named")
	require.NoError(t, os.Remove(w.transcript))
	require.Len(t, w.settled().Notes, 1)
}

// Nothing is settled while an owner lives, nor of a record that cannot be read, and
// settling changes no byte (I8).
func TestWhatCannotBeSettled(t *testing.T) {
	w := newWorld(t)
	l := w.acquire()
	settled := func() (settle.Outcome, error) {
		before := w.bytes()
		o, err := settle.Session(t.Context(), w.store, w.inspect(), "")
		require.Equal(t, before, w.bytes())
		return o, err
	}
	var refusal *lease.Refusal
	_, err := settled()
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, ownership.ReasonActiveOwner, refusal.Reason)
	stale := w.inspect()
	stale.State = ownership.StateStranded
	require.NoError(t, l.Release(t.Context()))
	_, err = settle.Session(t.Context(), w.store, stale, "")
	require.ErrorIs(t, err, lease.ErrConflict, "the record changed since it was looked at")
	_, err = settled()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(strings.Replace(w.file(), "verdict", "record", 1), []byte("{"), 0o600))
	_, err = settled()
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, ownership.ReasonUnreadableRecord, refusal.Reason)
}

// An unusable verdict falls through, and is noted (I12).
func TestUnusableVerdictsFallThrough(t *testing.T) {
	w := newWorld(t)
	w.strand()
	w.says("TASK_FAILED\n")
	w.set(w.verdict(settle.DecisionDone))
	whole, err := os.ReadFile(w.file())
	require.NoError(t, err)
	for name, text := range map[string]string{
		"empty": "", "garbage": "\x00\x01\x02", "half": string(whole[:len(whole)/2]), "twice": string(whole) + string(whole),
		"oversized": string(whole) + strings.Repeat(" ", lease.MaxVerdictSize),
	} {
		require.NoError(t, os.WriteFile(w.file(), []byte(text), 0o600))
		o := w.settled()
		require.Equal(t, byAgent, o.DecidedBy, name)
		require.Len(t, o.Notes, 1, name)
	}
	require.NoError(t, os.Truncate(w.file(), 1<<40))
	within(t, func() { require.Equal(t, byAgent, w.settled().DecidedBy) })
	require.NoError(t, os.Truncate(w.file(), 1<<20))
	_, err = settle.Clear(t.Context(), w.store, w.key.Digest())
	require.NoError(t, err)
	require.NoFileExists(t, w.file())
}

func TestAPlantedVerdictIsNotedAndNeverWritten(t *testing.T) {
	planted(t, func(t *testing.T, at string, plant func()) {
		w := newWorld(t)
		w.strand()
		w.says("TASK_FAILED\n")
		plant()
		require.NoError(t, os.Rename(at, w.file()))
		o := w.settled()
		require.Equal(t, byAgent, o.DecidedBy)
		require.Len(t, o.Notes, 1)
		require.ErrorIs(t, settle.Set(t.Context(), w.store, w.verdict(settle.DecisionDone)), lease.ErrStoreUnavailable)
		_, err := settle.Clear(t.Context(), w.store, w.key.Digest())
		require.ErrorIs(t, err, lease.ErrStoreUnavailable)
	})
}

// A verdict that cannot be asked for is an error: it may be there and decide.
func TestAVerdictThatCannotBeAskedForIsAnError(t *testing.T) {
	w := newWorld(t)
	w.strand()
	w.says("TASK_DONE\n")
	i := w.inspect()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := settle.Session(over, w.store, i, "")
	require.ErrorIs(t, err, context.Canceled)
}

// bareStore is a store without a place for verdicts.
type bareStore struct{ lease.Store }

func TestAStoreWithoutVerdictsSaysSo(t *testing.T) {
	w := newWorld(t)
	w.strand()
	bare := bareStore{w.store}
	_, err := settle.Read(t.Context(), bare, w.key.Digest())
	require.ErrorIs(t, err, lease.ErrStoreUnavailable)
	require.ErrorIs(t, settle.Set(t.Context(), bare, w.verdict(settle.DecisionDone)), lease.ErrStoreUnavailable)
}
