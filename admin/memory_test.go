package admin_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/admin"
	"holdfast/internal/journal"
	"holdfast/internal/testkit"
	"holdfast/lease"
	"holdfast/ownership"
)

// prunerRole archives one session by itself, as history does, and then prunes.
func prunerRole(store string) {
	_, err := admin.Archive(context.Background(), opened(store), target("k"))
	must(err)
	for _, err := range admin.Prune(context.Background(), opened(store), admin.Pruning{Mode: admin.PruneDo}) {
		must(err)
	}
	os.Exit(0)
}

// Killed at any system call of a prune, history has lost nothing and tells nothing
// twice, and the next prune finishes (I11).
func TestKilledAtEverySystemCallOfAPrune(t *testing.T) {
	t.Parallel()
	strace, err := exec.LookPath("strace")
	if err != nil {
		testkit.Skip(t, "strace is not installed")
	}
	w := newWorld(t)
	w.cycle("k", 4)
	w.plant("k", "life.1")
	w.plant("k", "next.1.json")
	w.stray("k")
	w.cycle("j", 2) // goes into the same transaction
	told := func() [][]admin.Entry { return [][]admin.Entry{w.told(target("k")), w.told(target("j"))} }
	want := told()
	pristine := w.path
	kills := 0
	for _, call := range []string{"fsync", "fdatasync", "pwrite64", "linkat", "unlinkat", "flock", "ftruncate", "fchmod"} {
		for n := 1; w.killedPruning(strace, pristine, call, n); n += testkit.Rounds(10, 1) {
			kills++
			require.Equal(t, want, told(), "%s %d", call, n)
			w.prune(admin.Pruning{Mode: admin.PruneDo})
			require.Equal(t, want, told(), "%s %d", call, n)
			require.Len(t, w.revs("k"), 1)
			require.Len(t, w.revs("j"), 1)
			require.NoFileExists(t, w.file("k", "life.1"))
			_, err := journal.At(w.journal()).Check(t.Context())
			require.NoError(t, err)
		}
	}
	t.Logf("killed at %d system calls", kills)
	require.Greater(t, kills, testkit.Rounds(4, 40))
}

// killedPruning prunes a copy of a store, which becomes the world's, and reports
// whether that met the n-th system call of one kind, where it was killed.
func (w *world) killedPruning(strace, pristine, call string, n int) bool {
	w.Helper()
	w.path = filepath.Join(w.TempDir(), "store")
	require.NoError(w, exec.Command("cp", "-a", pristine, w.path).Run())
	w.store = opened(w.path)
	inject := fmt.Sprintf("inject=%s:signal=KILL:when=%d", call, n)
	cmd := exec.Command(strace, "-f", "-qq", "-o", os.DevNull, "-e", "trace="+call, "-e", inject, os.Args[0], w.path)
	cmd.Env = append(os.Environ(), roleVariable+"=pruner")
	err := cmd.Run() // strace ends the way the pruner did
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		require.True(w, exit.Sys().(syscall.WaitStatus).Signaled(), "%v", err)
		return true
	}
	require.NoError(w, err)
	return false
}

// A transaction takes the records of many sessions: a large store is pruned in minutes,
// not in hours.
func TestSessionsAreArchivedTogether(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		testkit.Skip(t, "strace is not installed")
	}
	syncs := func(sessions int) int {
		w := newWorld(t)
		for n := range sessions {
			w.cycle(fmt.Sprint("k", n), 2)
		}
		trace := filepath.Join(t.TempDir(), "trace")
		cmd := exec.Command(strace, "-f", "--seccomp-bpf", "-qq", "-o", trace, "-e", "trace=fdatasync", os.Args[0], w.path)
		cmd.Env = append(os.Environ(), roleVariable+"=pruner")
		require.NoError(t, cmd.Run())
		require.Len(t, w.revs("k0"), 1)
		b, err := os.ReadFile(trace)
		require.NoError(t, err)
		return strings.Count(string(b), "fdatasync(")
	}
	few := syncs(2)
	require.Positive(t, few)
	require.Equal(t, few, syncs(12))
}

// workerRole cycles a session of its own and tries for one of all, and reads, archives
// and prunes in between. It prints what it was refused of its own, which must be
// nothing.
func workerRole(store, own string) {
	s := opened(store)
	var r tally
	for range workerTurns() {
		r.add(turnOn(s, own))
		_, _ = turnOn(s, "shared") // refused most of the time
		if _, err := admin.Archive(context.Background(), s, target(own)); err != nil {
			r.Archive = append(r.Archive, err.Error())
		}
		if _, err := admin.Archive(context.Background(), s, target("shared")); err != nil {
			r.Archive = append(r.Archive, err.Error())
		}
	}
	if n, _ := strconv.Atoi(own); n%8 == 0 {
		for _, err := range admin.Prune(context.Background(), s, admin.Pruning{Mode: admin.PruneDo}) {
			if err != nil {
				r.Archive = append(r.Archive, err.Error())
			}
		}
	}
	must(json.NewEncoder(os.Stdout).Encode(r))
	os.Exit(0)
}

// workers are so many processes: more than any machine has processors.
func workers() int { return testkit.Rounds(24, 64) }

func workerTurns() int { return testkit.Rounds(1, 4) }

// tally is how a worker fared.
type tally struct {
	Refused []string // of its own session: nobody else uses it
	Archive []string // what could not be archived: it stays where it is
	Slowest time.Duration
}

func (r *tally) add(took time.Duration, err error) {
	if err != nil {
		r.Refused = append(r.Refused, err.Error())
	}
	r.Slowest = max(r.Slowest, took)
}

func turnOn(s lease.Store, key string) (took time.Duration, err error) {
	began := time.Now()
	k, err := ownership.ParseKey(key)
	must(err)
	l, err := lease.Acquire(context.Background(), s, k, lease.Owner{Kind: "test", Program: "agent"})
	if err != nil {
		return 0, err
	}
	err = l.Release(context.Background())
	return time.Since(began), err
}

// Many processes acquire, are refused, release, archive and prune at once: no
// owner of a session of its own is ever refused, and no record is lost (I6, I11).
func TestManyProcessesAtOnce(t *testing.T) {
	for _, archive := range []string{"damaged", "sound"}[:testkit.Rounds(1, 2)] {
		t.Run(archive, func(t *testing.T) {
			w := newWorld(t)
			w.cycle("shared", 1)
			if archive == "damaged" {
				require.NoError(t, os.WriteFile(w.journal(), make([]byte, 1<<16), 0o600))
			}
			all := w.work()
			var slowest time.Duration
			failed := 0
			for _, r := range all {
				require.Empty(t, r.Refused)
				slowest = max(slowest, r.Slowest)
				failed += len(r.Archive)
			}
			t.Logf("slowest acquire and release %v, %d archivings failed", slowest, failed)
			if archive == "damaged" {
				require.NoError(t, os.Remove(w.journal()))
			}
			w.requireNothingLost()
		})
	}
}

func (w *world) work() []tally {
	w.Helper()
	var started []*exec.Cmd
	var outs []*json.Decoder
	for n := range workers() {
		cmd := w.role("worker", w.path, strconv.Itoa(n))
		out, err := cmd.StdoutPipe()
		require.NoError(w, err)
		require.NoError(w, cmd.Start())
		started, outs = append(started, cmd), append(outs, json.NewDecoder(out))
	}
	all := make([]tally, workers())
	for n, cmd := range started {
		require.NoError(w, outs[n].Decode(&all[n]))
		require.NoError(w, cmd.Wait())
	}
	return all
}

func (w *world) requireNothingLost() {
	w.Helper()
	w.prune(admin.Pruning{Mode: admin.PruneDo})
	for n := range workers() {
		entries := w.told(target(strconv.Itoa(n)))
		requireChain(w.T, entries)
		require.Len(w, entries, 2*workerTurns())
	}
	requireChain(w.T, w.told(target("shared")))
	_, err := journal.At(w.journal()).Check(w.Context())
	require.NoError(w, err)
}

// readerRole tells a history again and again until its standard input ends, and
// whether it was ever told with a gap.
func readerRole(store string) {
	s := opened(store)
	ended := make(chan struct{})
	go func() {
		_, _ = os.Stdin.Read(make([]byte, 1))
		close(ended)
	}()
	var r readings
	for {
		for e, err := range admin.History(context.Background(), s, target("k")) {
			must(err)
			if e.Event == admin.EventGap {
				r.Gaps = append(r.Gaps, *e.Reason)
			}
		}
		r.Times++
		select {
		case <-ended:
			must(json.NewEncoder(os.Stdout).Encode(r))
			os.Exit(0)
		default:
		}
	}
}

type readings struct {
	Times int
	Gaps  []string
}

// Many owners one after the other, archived as they go, and a reader beside them
// never sees a gap.
func TestAReaderBesideManyRuns(t *testing.T) {
	w := newWorld(t)
	w.cycle("k", 1)
	cmd := w.role("reader", w.path)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	for range testkit.Rounds(16, 32) {
		w.cycle("k", 1)
		w.archive("k")
	}
	require.NoError(t, in.Close())
	var r readings
	require.NoError(t, json.NewDecoder(out).Decode(&r))
	require.NoError(t, cmd.Wait())
	t.Logf("%d readings", r.Times)
	require.Empty(t, r.Gaps)
	requireChain(t, w.told(target("k")))
}
