package admin_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/admin"
	"holdfast/admin/settle"
	"holdfast/lease"
	"holdfast/ownership"
)

// strandWith leaves a stranded session whose agent wrote a transcript.
func (w *world) strandWith(key, transcript string) (i lease.Inspection, path string) {
	w.Helper()
	path = filepath.Join(w.TempDir(), "transcript")
	i = w.strand(plan{Key: key, Facts: ownership.Facts{Transcript: &path}})
	require.NoError(w, os.WriteFile(path, []byte(transcript), 0o600))
	// The kernel stamps files by a clock that lags milliseconds behind the one of records.
	require.NoError(w, os.Chtimes(path, time.Time{}, time.Now()))
	return i, path
}

func (w *world) force(i lease.Inspection) admin.Receipt {
	w.Helper()
	r := w.recovered(admin.Recovery{Target: admin.ByDigest(i.KeyDigest), Expect: *i.Revision, Consent: admin.Force})
	require.Equal(w, r.Outcome, w.inspect(admin.ByDigest(i.KeyDigest)).Record.LastForcedRecovery.Outcome)
	return r
}

// verdictOn stores a verdict on the latest execution of a session.
func (w *world) verdictOn(i lease.Inspection, d settle.Decision, reason string) {
	w.Helper()
	p, ok := settle.PlaceOf(i.Record)
	require.True(w, ok)
	require.NoError(w, settle.Set(w.Context(), w.store, settle.Verdict{
		KeyDigest: p.KeyDigest, Generation: p.Generation, ID: p.ID,
		Outcome: d, Source: settle.SourceVerify, Reason: reason, WrittenAt: ownership.At(time.Now()),
	}))
}

// What the agent said is in the marker, the receipt and history, dated when it stopped
// writing and not when anybody asked.
func TestOutcomeEntersMarkerReceiptAndHistory(t *testing.T) {
	w := newWorld(t)
	i, path := w.strandWith("k", "working\nTASK_DONE\n")
	stopped := i.Record.Owner.AcquiredAt.Time().Add(3 * time.Second)
	require.NoError(t, os.Chtimes(path, stopped, stopped))

	p := w.previewed(admin.Recovery{Target: target("k"), Expect: *i.Revision})
	receipt := w.force(i)
	require.Equal(t, ownership.OutcomeDone, receipt.Outcome)
	require.Equal(t, &admin.Settled{
		Outcome: ownership.OutcomeDone, DecidedBy: "agent", Source: new("agent"), Reason: "the agent said TASK_DONE",
		CompletedAt: new(ownership.At(stopped)), Notes: []string{},
	}, receipt.Settled)
	require.Equal(t, receipt.Settled, p.Effect.Settled)

	told := w.told(target("k"))
	require.Equal(t, receipt.Settled, told[len(told)-1].Settled)
	everything := w.all(time.Time{})
	require.Equal(t, receipt.Settled, everything[len(everything)-1].Settled)
	w.own(plan{Key: "k"}).release()
	w.archive("k")
	require.Equal(t, receipt.Settled, w.told(target("k"))[1].Settled, "also from the archive")
	require.Equal(t, receipt.Settled, w.all(time.Time{})[1].Settled)
}

func TestOutcomeOfARecovery(t *testing.T) {
	for name, c := range map[string]struct {
		transcript string
		change     func(w *world, i lease.Inspection, path string)
		want       ownership.Outcome
		notes      []string // each a part of one
	}{
		"verdict over agent": {"TASK_DONE\n", func(w *world, i lease.Inspection, _ string) {
			w.verdictOn(i, settle.DecisionFailed, "tests fail")
		}, ownership.OutcomeFailed, []string{"the agent said TASK_DONE"}},
		"pending": {"TASK_DONE\n", func(w *world, i lease.Inspection, _ string) {
			w.verdictOn(i, settle.DecisionPending, "wants another look")
		}, ownership.OutcomeRequeued, []string{"the agent said TASK_DONE"}},
		"contradiction": {"TASK_DONE\nTASK_FAILED\n", nil, ownership.OutcomeRequeued, []string{"contradicts itself"}},
		"silence":       {"working\n", nil, ownership.OutcomeRequeued, nil},
		"no verdict but bytes": {"TASK_SKIPPED\n", func(w *world, _ lease.Inspection, _ string) {
			require.NoError(w, os.WriteFile(w.file("k", "verdict.json"), []byte("{"), 0o600))
		}, ownership.OutcomeSkipped, []string{"the verdict cannot be used"}},
		"transcript replaced by a link": {"TASK_DONE\n", func(w *world, _ lease.Inspection, path string) {
			require.NoError(w, os.Rename(path, path+".real"))
			require.NoError(w, os.Symlink(path+".real", path))
		}, ownership.OutcomeRequeued, []string{"symbolic link"}},
		"transcript of before": {"TASK_DONE\n", func(w *world, i lease.Inspection, path string) {
			old := i.Record.Owner.AcquiredAt.Time().Add(-time.Millisecond)
			require.NoError(w, os.Chtimes(path, old, old))
		}, ownership.OutcomeRequeued, []string{"the transcript is ignored"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			i, path := w.strandWith("k", c.transcript)
			if c.change != nil {
				c.change(w, i, path)
			}
			receipt := w.force(i)
			require.Equal(t, c.want, receipt.Outcome)
			require.Len(t, receipt.Settled.Notes, len(c.notes))
			for n, part := range c.notes {
				require.Contains(t, receipt.Settled.Notes[n], part)
			}
		})
	}
}

func TestVerdictOfThePreviousGenerationIsIgnored(t *testing.T) {
	w := newWorld(t)
	w.verdictOn(w.strand(plan{Key: "k"}), settle.DecisionDone, "")
	require.Equal(t, ownership.OutcomeDone, w.force(w.inspect(target("k"))).Outcome)
	receipt := w.force(w.strand(plan{Key: "k"}))
	require.Equal(t, ownership.OutcomeRequeued, receipt.Outcome)
	require.Contains(t, receipt.Settled.Notes, "the verdict is ignored: it is for generation 1, not 3")
}

// Where the archive has no event of a recovery, asking again settles again, and says
// nothing that the marker does not.
func TestReplaySettlesAgainWithoutArchive(t *testing.T) {
	w := newWorld(t)
	i, _ := w.strandWith("k", "TASK_DONE\n")
	first := w.force(i)
	require.NoError(t, os.Remove(w.journal()))
	require.Equal(t, first.Settled, w.force(i).Settled)

	require.NoError(t, os.Remove(w.journal()))
	w.verdictOn(i, settle.DecisionFailed, "looked at later")
	again := w.force(i)
	require.True(t, again.Replayed)
	require.Equal(t, ownership.OutcomeDone, again.Outcome)
	require.Nil(t, again.Settled)
}
