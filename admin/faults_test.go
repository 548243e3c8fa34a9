package admin_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"holdfast/admin"
	"holdfast/internal/durable"
	"holdfast/lease"
	"holdfast/lease/dirstore"
	"holdfast/ownership"
)

// counting guards the counters of every fault: a pass does many things at once.
var counting sync.Mutex

// fault makes the n-th system call that writes go wrong.
type fault struct {
	At     int
	Done   bool // the call takes effect all the same
	Crash  bool // the process ends instead of seeing an error
	met    bool
	called int
}

func (f *fault) intercept(_ durable.Call, apply func() error) error {
	counting.Lock()
	f.called++
	mine := f.called == f.At
	f.met = f.met || mine
	counting.Unlock()
	if !mine {
		return apply()
	}
	if f.Done {
		if err := apply(); err != nil {
			return err
		}
	}
	if f.Crash {
		os.Exit(crashed)
	}
	return unix.EIO
}

const crashed = 42

// faulted are the recoveries that faults are tried on.
var faulted = map[string]struct {
	consent admin.Consent
	ruin    func(w *world, key string)
}{
	"record":     {admin.Force, func(w *world, key string) {}},
	"unreadable": {admin.Force | admin.Quarantine, func(w *world, key string) { w.damage(key) }},
}

// Wherever a recovery fails, its error says whether something changed, and asking
// again with the same arguments returns the receipt (I9).
func TestEveryFaultOfARecovery(t *testing.T) {
	t.Parallel()
	for name, c := range faulted {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			keys := w.strandMany(32)
			unknown := 0
			n := 1
			for done := false; ; done = !done {
				f := fault{At: n, Done: done}
				key := fmt.Sprintf("%s.%t", keys[n], done)
				c.ruin(w, key)
				met, wasUnknown := w.recoverWith(&f, key, c.consent)
				if !met {
					break
				}
				if wasUnknown {
					unknown++
				}
				if done {
					n++
				}
			}
			t.Log("faults", n)
			require.NotZero(t, unknown)
		})
	}
}

// strandMany returns names of which each stands for two stranded sessions, .false and
// .true.
func (w *world) strandMany(n int) []string {
	w.Helper()
	var names, keys []string
	for i := range n {
		names = append(names, fmt.Sprintf("k%d", i))
		keys = append(keys, names[i]+".false", names[i]+".true")
	}
	w.own(plan{Key: keys[0], More: keys[1:]}).kill()
	return names
}

// recoverWith recovers with a fault, checks what the error says, and asks again.
func (w *world) recoverWith(f *fault, key string, consent admin.Consent) (met, unknown bool) {
	w.Helper()
	faulty, err := dirstore.Open(w.path, dirstore.Options{Calls: f.intercept})
	require.NoError(w, err)
	before := *w.inspect(target(key)).Revision
	r := admin.Recovery{Target: target(key), Expect: before, Consent: consent}
	receipt, err := admin.Recover(w.Context(), faulty, r)
	after := *w.inspect(target(key)).Revision
	unknown = errors.Is(err, lease.ErrOutcomeUnknown)
	switch {
	case err == nil:
		require.Equal(w, after, receipt.Revision)
	case unknown:
		var advised *lease.StoreError
		require.ErrorAs(w, err, &advised)
		require.NotEmpty(w, advised.Advice)
	default:
		require.Equal(w, before, after, "%+v: %v", f, err)
	}
	w.recoveredOnce(r, after != before)
	return f.met, unknown
}

// recoveredOnce asks again, and expects a replay exactly where the recovery had taken
// effect.
func (w *world) recoveredOnce(r admin.Recovery, tookEffect bool) {
	w.Helper()
	again := w.recovered(r)
	require.Equal(w, tookEffect, again.Replayed)
	i := w.inspect(r.Target)
	require.Equal(w, ownership.StateIdle, i.State)
	require.Equal(w, again.Revision, *i.Revision)
	require.Equal(w, r.Expect, i.Record.LastForcedRecovery.PreviousRevision)
}

// Wherever a recovery is killed, asking again returns the receipt.
func TestEveryCrashOfARecovery(t *testing.T) {
	t.Parallel()
	for name, c := range faulted {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			for n, key := range w.strandMany(32) {
				key += ".true"
				c.ruin(w, key)
				i := w.inspect(target(key))
				finished := w.crash(crash{Store: w.path, Key: key, Expect: *i.Revision, Consent: c.consent, Fault: fault{At: n + 1, Crash: true}})
				r := admin.Recovery{Target: target(key), Expect: *i.Revision, Consent: c.consent}
				w.recoveredOnce(r, *w.inspect(target(key)).Revision != *i.Revision)
				if finished {
					return
				}
			}
			require.Fail(t, "a recovery has more calls than that")
		})
	}
}

// crash is what a crasher process is to do.
type crash struct {
	Store   string
	Below   string // where its snapshots go
	Key     string
	Expect  ownership.Revision
	Consent admin.Consent
	Fault   fault
}

// crash runs a recovery in a process of its own and reports whether it got through.
func (w *world) crash(c crash) (finished bool) {
	w.Helper()
	arg, err := json.Marshal(c)
	require.NoError(w, err)
	cmd := w.role("crasher", string(arg))
	out, err := cmd.Output()
	if cmd.ProcessState.ExitCode() == crashed {
		return false
	}
	require.NoError(w, err, strings.TrimSpace(string(out)))
	return true
}

func crasherRole(arg string) {
	var c crash
	must(json.Unmarshal([]byte(arg), &c))
	s, err := dirstore.Open(c.Store, dirstore.Options{Calls: c.Fault.intercept})
	must(err)
	_, err = admin.Recover(context.Background(), s, admin.Recovery{Target: target(c.Key), Expect: c.Expect, Consent: c.Consent})
	must(err)
}
