package admin_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/admin"
	"holdfast/internal/testkit"
	"holdfast/lease/dirstore"
	"holdfast/ownership"
)

// passed is what a pass in another process says of itself.
type passed struct {
	Receipts []admin.Receipt
	Failures []string
}

// passing is a pass in another process.
type passing struct {
	Store string
	Fault fault // none where At is zero
}

func reconcilerRole(arg string) {
	var p passing
	must(json.Unmarshal([]byte(arg), &p))
	s, err := dirstore.Open(p.Store, dirstore.Options{Calls: p.Fault.intercept})
	must(err)
	var said passed
	for r, err := range admin.Reconcile(context.Background(), s, admin.PassRecover) {
		switch {
		case err != nil:
			said.Failures = append(said.Failures, err.Error())
		case r.Receipt != nil:
			said.Receipts = append(said.Receipts, *r.Receipt)
		}
	}
	must(json.NewEncoder(os.Stdout).Encode(said))
}

// pass runs a pass to its end, or to where its fault kills it.
func (w *world) pass(f fault) (said passed, killed bool) {
	w.Helper()
	arg, err := json.Marshal(passing{w.path, f})
	require.NoError(w, err)
	out, err := w.role("reconciler", string(arg)).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == crashed {
		return said, true
	}
	require.NoError(w, err)
	require.NoError(w, json.Unmarshal(out, &said))
	return said, false
}

// requireRecoveredOnce expects each session to have been recovered from its first
// generation, once, and to be ready for its next owner.
func (w *world) requireRecoveredOnce(keys []string) {
	w.Helper()
	for _, key := range keys {
		i := w.inspect(target(key))
		require.Equal(w, ownership.StateIdle, i.State, key)
		require.EqualValues(w, 2, i.Record.Generation, key)
		recoveries := 0
		for _, e := range w.told(target(key)) {
			require.NotEqual(w, admin.EventGap, e.Event, key)
			if e.Event == admin.EventRecover {
				recoveries++
			}
		}
		require.Equal(w, 1, recoveries, key)
	}
}

// Wherever a pass is killed, running it again ends what it began, and does nothing twice.
func TestEveryCrashOfAPass(t *testing.T) {
	t.Parallel()
	step := testkit.Rounds(11, 1)
	for n, killed := 1, true; killed; n += step {
		w := newWorld(t)
		w.own(plan{Key: "a", More: []string{"b"}}).kill()
		_, killed = w.pass(fault{At: n, Crash: true})
		require.True(t, killed || n > 2*step, "a pass has more calls than that")
		w.pass(fault{At: n, Done: true, Crash: true}) // and the next one too, if it comes to that
		said, _ := w.pass(fault{})
		require.Empty(t, said.Failures)
		w.requireRecoveredOnce([]string{"a", "b"})
		w.own(plan{Key: "a"}).release()
	}
}

// Passes at the same time do no harm: each session is recovered once, whoever is told.
func TestPassesAtTheSameTime(t *testing.T) {
	t.Parallel()
	for range testkit.Rounds(1, 20) {
		w := newWorld(t)
		keys := []string{"a", "b", "c", "d"}
		w.own(plan{Key: keys[0], More: keys[1:]}).kill()
		live := w.own(plan{Key: "live"})
		answers := make(chan error, 3)
		receipts := make(chan admin.Receipt, cap(answers)*len(keys))
		for range cap(answers) {
			go func() { answers <- w.passBeside(receipts) }()
		}
		for range cap(answers) {
			require.NoError(t, <-answers)
		}
		close(receipts)
		first := map[string]int{}
		for r := range receipts {
			first[*r.Key]++
		}
		require.Equal(t, map[string]int{"a": 1, "b": 1, "c": 1, "d": 1}, first)
		w.requireRecoveredOnce(keys)
		live.release()
	}
}

func (w *world) passBeside(receipts chan<- admin.Receipt) error {
	arg, err := json.Marshal(passing{Store: w.path})
	if err != nil {
		return err
	}
	out, err := w.role("reconciler", string(arg)).Output()
	var said passed
	if err == nil {
		err = json.Unmarshal(out, &said)
	}
	for _, r := range said.Receipts {
		receipts <- r
	}
	if len(said.Failures) > 0 {
		err = fmt.Errorf("%q", said.Failures)
	}
	return err
}
