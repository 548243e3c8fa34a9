package plan_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/admin/plan"
	"holdfast/ownership"
)

// telling is a plan to tell the tracker, which writes a line for each time that it is told.
type telling struct {
	*world
	plan  plan.Plan
	words plan.Intent
	told  string
}

func newTelling(t *testing.T, then string) telling {
	t.Helper()
	w := newWorld(t)
	w.strand(part{Key: "k"})
	told := filepath.Join(w.dir, "told")
	words := plan.Intent{Tracker: "echo told >> " + told + then}
	return telling{w, w.make("k", plan.Options{Intent: words}), words, told}
}

func (w telling) tell() (plan.Report, error) {
	return plan.Apply(w.Context(), w.store, w.plan, plan.Approval{IDs: []string{plan.TellTracker}, Intent: w.words})
}

func (w telling) times() int {
	w.Helper()
	b, err := os.ReadFile(w.told)
	require.NoError(w, err)
	return strings.Count(string(b), "told")
}

func TestTrackerIsToldOnce(t *testing.T) {
	w := newTelling(t, "")
	r, err := w.tell()
	require.NoError(t, err)
	require.Equal(t, plan.Done, r.Results[0].Status)
	r, err = w.tell()
	require.NoError(t, err)
	require.Equal(t, plan.Already, r.Results[0].Status, "%+v", r)
	require.Equal(t, 1, w.times())
	w.plan = w.make("k", plan.Options{Intent: w.words})
	r, err = w.tell()
	require.NoError(t, err)
	require.Equal(t, plan.Done, r.Results[0].Status, "whoever plans it again wants it again")
	require.Equal(t, 2, w.times())
}

// Killed after the tracker was told and before that was written down, nobody knows, and it is not told twice.
func TestTrackerIsNotToldAgainAfterAKill(t *testing.T) {
	w := newTelling(t, "; kill -KILL $PPID")
	b, err := w.plan.Encode()
	require.NoError(t, err)
	file := filepath.Join(w.dir, "plan.json")
	require.NoError(t, os.WriteFile(file, b, 0o600))
	c := w.role("applier", w.path, file, plan.TellTracker)
	c.Env = append(c.Env, trackerVariable+"="+w.words.Tracker)
	require.Error(t, c.Run())
	require.Equal(t, 1, w.times())
	before := w.bytes()
	_, err = w.tell()
	requireRefused(t, err, ownership.ReasonRevisionMismatch)
	require.Equal(t, before, w.bytes(), "a refusal changes nothing (I8)")
	require.Equal(t, 1, w.times())
}

func TestTrackerIsToldByOneOfMany(t *testing.T) {
	w := newTelling(t, "")
	const many = 4
	statuses := make(chan plan.Status, many)
	for range many {
		go func() {
			r, err := w.tell()
			if err != nil {
				statuses <- plan.NotRun
				return
			}
			statuses <- r.Results[0].Status
		}()
	}
	done := 0
	for range many {
		if <-statuses == plan.Done {
			done++
		}
	}
	require.Equal(t, 1, done)
	require.Equal(t, 1, w.times())
}

// What failed and can be taken back can be tried again; what cannot be taken back needs another plan.
func TestTrackerThatFailed(t *testing.T) {
	w := newTelling(t, "; exit 3")
	r, err := w.tell()
	require.NoError(t, err)
	require.True(t, r.Stopped)
	_, err = w.tell()
	requireRefused(t, err, ownership.ReasonRevisionMismatch)
	w.words.TrackerUndo = "true"
	w.plan = w.make("k", plan.Options{Intent: w.words})
	for range 2 {
		r, err = w.tell()
		require.NoError(t, err)
		require.Equal(t, plan.Failed, r.Results[0].Status)
	}
	require.Equal(t, 3, w.times())
}
