package settle_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/admin/settle"
	"holdfast/lease/dirstore"
	"holdfast/ownership"
)

// setForever is what another process does: it sets done and failed in turn.
func setForever(path, encoded string) error {
	s, err := dirstore.Open(path, dirstore.Options{})
	if err != nil {
		return err
	}
	v, err := settle.Decode([]byte(encoded))
	if err != nil {
		return err
	}
	for {
		for _, v.Outcome = range []settle.Decision{settle.DecisionDone, settle.DecisionFailed} {
			v.WrittenAt = ownership.At(time.Now())
			if err := settle.Set(context.Background(), s, v); err != nil {
				return err
			}
		}
	}
}

// Whoever settles while others set sees one of their verdicts, whole, and never
// nothing; a setter that is killed leaves one too.
func TestSetAndSettleAtOnce(t *testing.T) {
	w := newWorld(t)
	w.strand()
	v := w.verdict(settle.DecisionDone)
	w.set(v)
	b, err := json.Marshal(v)
	require.NoError(t, err)
	var setters []*exec.Cmd
	for range 3 {
		c := exec.Command(os.Args[0], string(b))
		c.Env = append(os.Environ(), roleVariable+"="+w.path)
		c.Stderr = os.Stderr
		require.NoError(t, c.Start())
		setters = append(setters, c)
		t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
	}
	seen := map[ownership.Outcome]int{}
	deadline := time.Now().Add(time.Minute)
	for (seen[ownership.OutcomeFailed] == 0 || seen[ownership.OutcomeDone] == 0 || len(seen) < 2) && time.Now().Before(deadline) {
		for range 50 {
			o := w.settled()
			require.Equal(t, byVerdict, o.DecidedBy, o.Notes)
			seen[o.Outcome]++
		}
	}
	require.Len(t, seen, 2, "both verdicts were seen")
	for _, c := range setters {
		require.NoError(t, c.Process.Kill())
		require.Error(t, c.Wait())
	}
	require.Equal(t, byVerdict, w.settled().DecidedBy)
}

// A late verdict on one generation never covers that on the next.
func TestALateVerdictDoesNotCoverTheNext(t *testing.T) {
	w := newWorld(t)
	w.idle()
	late := w.verdict(settle.DecisionFailed)
	loaded := w.inspect().Stored.Revision
	w.idle()
	w.set(w.verdict(settle.DecisionDone))
	b, err := settle.Encode(late)
	require.NoError(t, err)
	s, err := dirstore.Open(w.path, dirstore.Options{})
	require.NoError(t, err)
	require.Error(t, s.SetVerdict(t.Context(), w.key.Digest(), loaded, b), "as it would be after a look at generation 1")
	require.Error(t, settle.Set(t.Context(), w.store, late))
	require.Equal(t, ownership.OutcomeDone, w.settled().Outcome)
}

// Setting goes on while an owner publishes: what changes is not the execution.
func TestSetWhileTheOwnerPublishes(t *testing.T) {
	w := newWorld(t)
	l := w.acquire()
	v := w.verdict(settle.DecisionInProgress)
	stop, stopped := make(chan struct{}), make(chan error, 1)
	go func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				stopped <- nil
				return
			default:
			}
			resume := "resume " + time.Duration(n).String()
			if err := l.Describe(context.Background(), ownership.Facts{Resume: &resume}); err != nil {
				stopped <- err
				return
			}
		}
	}()
	for range 30 {
		w.set(v)
	}
	close(stop)
	require.NoError(t, <-stopped)
	require.NoError(t, l.Release(t.Context()))
}
