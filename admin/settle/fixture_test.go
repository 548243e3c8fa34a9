package settle_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/admin/settle"
	"holdfast/lease"
	"holdfast/lease/dirstore"
	"holdfast/ownership"
)

// roleVariable makes the test binary a process that sets one verdict after the other.
const roleVariable = "SETTLE_TEST_SETTER"

func TestMain(m *testing.M) {
	if path := os.Getenv(roleVariable); path != "" {
		if err := setForever(path, os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

var (
	acquired = ownership.At(time.Date(2026, 11, 29, 12, 40, 2, int(117*time.Millisecond), time.UTC))
	later    = after(time.Hour)
)

func after(d time.Duration) ownership.Timestamp { return ownership.At(acquired.Time().Add(d)) }

var place = settle.Place{KeyDigest: ownership.Digest{9}, Generation: 7, ID: ownership.OperationID{1}}

// execution is one whose agent stopped writing an hour after the acquisition.
func execution(v *settle.Verdict, signals ...settle.Signal) settle.Execution {
	return settle.Execution{
		Place: place, AcquiredAt: acquired, Verdict: v,
		Transcript: &settle.Transcript{WrittenAt: later, Signals: signals},
	}
}

func verdict(d settle.Decision, reason string) *settle.Verdict {
	return &settle.Verdict{
		KeyDigest: place.KeyDigest, Generation: place.Generation, ID: place.ID,
		Outcome: d, Source: settle.SourceReviewGate, Reason: reason, WrittenAt: after(2 * time.Hour),
	}
}

func one(t *testing.T, e settle.Execution) settle.Outcome {
	t.Helper()
	all := settle.Settle([]settle.Execution{e})
	require.Len(t, all, 1)
	require.NotNil(t, all[0].Notes)
	_, err := json.Marshal(all[0])
	require.NoError(t, err)
	return all[0]
}

// world is a store with one session.
type world struct {
	*testing.T
	path       string
	store      lease.Store
	key        ownership.Key
	transcript string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	path := filepath.Join(t.TempDir(), "store")
	key, err := ownership.ParseKey("web/42")
	require.NoError(t, err)
	return &world{t, path, opened(t, path), key, filepath.Join(t.TempDir(), "agent.log")}
}

func opened(t *testing.T, path string) lease.Store {
	t.Helper()
	s, err := dirstore.Open(path, dirstore.Options{})
	require.NoError(t, err)
	return s
}

// acquire makes this process the owner; its record names the transcript.
func (w *world) acquire() *lease.Lease {
	w.Helper()
	o := lease.Owner{Kind: "test", Program: "agent", Facts: ownership.Facts{Transcript: &w.transcript}}
	l, err := lease.Acquire(context.Background(), w.store, w.key, o)
	require.NoError(w, err)
	w.Cleanup(func() { _ = l.Abandon(context.Background(), "the test is over") })
	return l
}

// strand leaves the session to nobody.
func (w *world) strand() {
	w.Helper()
	require.NoError(w, w.acquire().Abandon(w.Context(), "on purpose"))
	require.Equal(w, ownership.StateStranded, w.inspect().State)
}

// idle leaves the session after an execution that was acknowledged.
func (w *world) idle() {
	w.Helper()
	require.NoError(w, w.acquire().Release(w.Context()))
}

func (w *world) inspect() lease.Inspection {
	w.Helper()
	i, err := lease.Inspect(w.Context(), w.store, w.key.Digest())
	require.NoError(w, err)
	return i
}

// verdict is one on the latest execution, written now.
func (w *world) verdict(d settle.Decision) settle.Verdict {
	w.Helper()
	p, ok := settle.PlaceOf(w.inspect().Record)
	require.True(w, ok)
	return settle.Verdict{
		KeyDigest: p.KeyDigest, Generation: p.Generation, ID: p.ID,
		Outcome: d, Source: settle.SourceVerify, WrittenAt: ownership.At(time.Now()),
	}
}

func (w *world) set(v settle.Verdict) {
	w.Helper()
	require.NoError(w, settle.Set(w.Context(), w.store, v))
}

func (w *world) says(text string) {
	w.Helper()
	require.NoError(w, os.WriteFile(w.transcript, []byte(text), 0o600))
}

func (w *world) settled() settle.Outcome {
	w.Helper()
	o, err := settle.Session(w.Context(), w.store, w.inspect(), "")
	require.NoError(w, err)
	return o
}

// file is where the verdict is kept.
func (w *world) file() string {
	return filepath.Join(w.path, "sessions", w.key.Digest().String(), "verdict.json")
}

// bytes returns every file of the store with its content.
func (w *world) bytes() map[string]string {
	w.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(w.path, func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		all[path] = string(b)
		return err
	})
	if !os.IsNotExist(err) {
		require.NoError(w, err)
	}
	return all
}
