package dirstore_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/durable"
	"holdfast/internal/testkit"
	"holdfast/lease"
	"holdfast/lease/dirstore"
	"holdfast/ownership"
)

// The order of one publish on a real disk, and what it costs: one file and one
// directory synced, and sessions/ besides where the session was vacant.
func TestPublishOrder(t *testing.T) {
	_, dir := newStore(t)
	seen := &calls{failAt: -1}
	s := seen.store(t, dir)
	mustAcquire(t, s, "warm", self())
	seen.seen = nil
	c := mustAcquire(t, s, "k", self())
	first := "rev." + c.current.Revision.String() + ".json"
	from := slices.Index(seen.seen, "create next.1.json")
	require.Equal(t, []string{
		"create next.1.json", "write next.1.json", "fstat next.1.json", "fsync next.1.json", "close next.1.json",
		"sync .", "lock .", "link " + first, "rename record.json", "unlock .", "sync .",
	}, seen.seen[from:from+11])
	seen.seen = nil
	require.NoError(t, c.release())
	second := "rev." + c.current.Revision.String() + ".json"
	require.Equal(t, []string{
		"create next.1.json", "write next.1.json", "fstat next.1.json", "fsync next.1.json", "close next.1.json",
		"lock .", "link " + second, "rename record.json", "unlock .", "sync .",
	}, seen.seen[:10])
	require.Equal(t, 2, seen.syncs())
}

// Whatever call fails, the answer is true: definite means the old bytes and no
// leftovers, unknown is said (I9), and the next attempt works.
func TestAFailingCallIsAnsweredTruly(t *testing.T) {
	whole := &calls{failAt: -1}
	_, dir := newStore(t)
	c := mustAcquire(t, whole.store(t, dir), "k", self())
	whole.seen = nil
	r, err := ownership.ReleaseAcknowledge(c.current)
	require.NoError(t, err)
	require.NoError(t, c.publish(r))
	rename := slices.Index(whole.seen, "rename record.json")
	for failAt, call := range whole.seen {
		for _, done := range []bool{false, true} {
			broken := &calls{failAt: -1, done: done}
			_, dir := newStore(t)
			c := mustAcquire(t, broken.store(t, dir), "k", self())
			before := tree(t, dir)
			r, err := ownership.ReleaseAcknowledge(c.current)
			require.NoError(t, err)
			broken.seen, broken.failAt = nil, failAt
			err = c.publish(r)
			switch {
			case strings.HasPrefix(call, "closedir"):
				require.NoError(t, err)
			case failAt > rename || failAt == rename && done:
				require.ErrorIs(t, err, lease.ErrOutcomeUnknown, call)
			default:
				require.ErrorIs(t, err, errInjected, call)
				require.NotErrorIs(t, err, lease.ErrOutcomeUnknown, call)
				require.Equal(t, before, tree(t, dir), call)
				require.NoError(t, c.release(), call)
			}
		}
	}
}

// A power failure that kept a rename and lost the name in history beside it loses
// nothing: the next publish gives the name again before it replaces the record (I11).
func TestARecordWithoutItsNameInHistoryGetsItBack(t *testing.T) {
	_, dir := newStore(t)
	seen := &calls{failAt: -1}
	s := seen.store(t, dir)
	c := mustAcquire(t, s, "k", self())
	first, lost := c.bytes, "rev."+c.current.Revision.String()+".json"
	require.NoError(t, os.Remove(filepath.Join(sessionDir(dir, "k"), lost)))
	seen.seen = nil
	require.NoError(t, c.release())
	// A second power failure may keep the next rename and nothing that is not synced.
	link := slices.Index(seen.seen, "link "+lost)
	require.Positive(t, link)
	require.Equal(t, "sync .", seen.seen[link+1])
	require.Greater(t, slices.Index(seen.seen, "rename record.json"), link)
	var past []string
	for p, err := range s.Past(background, c.digest()) {
		require.NoError(t, err)
		past = append(past, string(p.Bytes))
	}
	require.Equal(t, []string{string(first)}, past)
}

// The very same bytes can be published once more, whatever became of the first time.
func TestPublishingTheSameBytesAgain(t *testing.T) {
	s, dir := newStore(t)
	c := mustAcquire(t, s, "k", self())
	require.NoError(t, s.Publish(background, c.hold, c.current.Revision, c.bytes))
	require.Len(t, names(t, sessionDir(dir, "k")), 3)
	require.NoError(t, c.release())
}

// A stopped publisher does not hold up the others for ever, and is named.
func TestALockThatIsNotFreedIsStoreUnavailable(t *testing.T) {
	t.Parallel() // it mostly waits
	s, dir := newStore(t)
	c := mustAcquire(t, s, "k", self())
	holder := start(t, "lock-dir", nil, sessionDir(dir, "k"))
	holder.awaitReady(t)
	require.NoError(t, holder.Process.Signal(syscall.SIGSTOP))
	before := tree(t, dir)
	err := c.release()
	var refused *lease.StoreError
	require.ErrorAs(t, err, &refused)
	require.ErrorIs(t, err, lease.ErrStoreUnavailable)
	require.ErrorContains(t, err, "pid "+itoa(holder.Process.Pid))
	require.Equal(t, before, tree(t, dir))
	require.NoError(t, holder.Process.Signal(syscall.SIGCONT))
	holder.end(t)
	require.NoError(t, c.release())
}

// A file system without hard links, or without locks, is named.
func TestAFileSystemThatLacksSomethingIsNamed(t *testing.T) {
	_, dir := newStore(t)
	c := mustAcquire(t, openStore(t, dir), "k", self())
	require.NoError(t, c.release())
	s, err := dirstore.Open(dir, dirstore.Options{Calls: func(call durable.Call, apply func() error) error {
		if call.Op == "link" {
			return &os.LinkError{Op: "linkat", Err: syscall.EPERM}
		}
		return apply()
	}})
	require.NoError(t, err)
	_, err = acquire(s, "k", self())
	require.ErrorIs(t, err, lease.ErrStoreUnavailable)
	require.ErrorContains(t, err, "hard links")
}

// Kills at random moments: what is left can be read, each record in force has its
// whole history, and the session goes on once it was recovered.
func TestKillsAtRandomMoments(t *testing.T) {
	s, dir := newStore(t)
	for round := range testkit.Rounds(15, 30) {
		victim := start(t, "cycle", nil, dir, "k")
		victim.awaitReady(t)
		time.Sleep(time.Duration(round*round) * 20 * time.Microsecond)
		victim.kill(t)
		recoverIfActive(t, s, "k")
		checkHistory(t, s, "k")
	}
	h, err := s.Health(background)
	require.NoError(t, err)
	require.Empty(t, h.Modes)
	require.Empty(t, h.Unread)
	for _, l := range h.Leftovers {
		require.False(t, l.InUse, l.Path)
	}
}

// Several processes contend for one session: whoever is not refused works without any
// other error, and history is one chain of acquisitions and releases (I2, I6, I11).
func TestContendersNeverBreakTheChain(t *testing.T) {
	t.Parallel() // others wait meanwhile
	s, dir := newStore(t)
	var contenders []*other
	for range 4 {
		contenders = append(contenders, start(t, "contend", nil, dir, "k"))
	}
	for _, c := range contenders {
		c.awaitReady(t)
	}
	d := keyOf("k").Digest()
	require.Eventually(t, func() bool {
		stored, err := s.Load(background, d)
		require.NoError(t, err)
		r := stored.Reading(d).Record
		return r != nil && r.Generation >= ownership.Generation(testkit.Rounds(30, 100))
	}, time.Minute, time.Millisecond)
	for _, c := range contenders {
		c.end(t)
	}
	checkHistory(t, s, "k")
	stored, err := s.Load(background, d)
	require.NoError(t, err)
	last := stored.Reading(d).Record
	require.Equal(t, ownership.RecordIdle, last.State)
	count := uint64(1)
	for p, err := range s.Past(background, d) {
		require.NoError(t, err)
		r := p.Reading(d).Record
		require.NotEqual(t, last.State, r.State)
		last = r
		count++
	}
	require.Equal(t, uint64(stored.Reading(d).Record.Generation)*2, count)
}

// recoverIfActive makes a session idle again, as a forced recovery does.
func recoverIfActive(t *testing.T, s lease.Store, name string) {
	t.Helper()
	d := keyOf(name).Digest()
	stored, err := s.Load(background, d)
	require.NoError(t, err)
	reading := stored.Reading(d)
	require.NoError(t, reading.Fault)
	if reading.Record == nil || reading.Record.State == ownership.RecordIdle {
		return
	}
	live, err := s.Probe(background, *reading.Record)
	require.NoError(t, err)
	require.NotEqual(t, ownership.Alive, live.Verdict, "%+v", live.Evidence)
	c := &turn{store: s, key: keyOf(name), current: ownership.Current{Record: reading.Record, Revision: stored.Revision}}
	g, err := c.current.NextGeneration()
	require.NoError(t, err)
	c.hold, err = s.Hold(background, d, g)
	require.NoError(t, err)
	r, err := ownership.Recover(c.current, ownership.Force{At: ownership.At(time.Now()), Actor: "test", Liveness: ownership.Gone})
	require.NoError(t, err)
	require.NoError(t, c.publish(r))
	require.NoError(t, c.hold.Retire())
}

// checkHistory follows the chain to its first record.
func checkHistory(t *testing.T, s lease.Store, name string) {
	t.Helper()
	d := keyOf(name).Digest()
	stored, err := s.Load(background, d)
	require.NoError(t, err)
	last := stored.Reading(d).Record
	for p, err := range s.Past(background, d) {
		require.NoError(t, err)
		require.Equal(t, *last.PreviousRevision, p.Revision)
		last = p.Reading(d).Record
		require.NotNil(t, last)
	}
	if last != nil {
		require.Nil(t, last.PreviousRevision)
	}
}

func TestACancelledPublishChangesNothing(t *testing.T) {
	s, dir := newStore(t)
	c := mustAcquire(t, s, "k", self())
	ctx, cancel := withTimeout(t, time.Hour)
	cancel()
	before := tree(t, dir)
	err := s.Publish(ctx, c.hold, c.current.Revision, []byte("x"))
	require.ErrorIs(t, err, ctx.Err())
	require.Equal(t, before, tree(t, dir))
}

// What has begun is settled: a caller that goes away during a sync is told what became of
// its publish, and not that the store failed.
func TestAPublishThatHasBegunIsSettled(t *testing.T) {
	_, dir := newStore(t)
	ctx, cancel := withTimeout(t, time.Hour)
	leaves := false
	s, err := dirstore.Open(dir, dirstore.Options{Calls: func(call durable.Call, apply func() error) error {
		if leaves && call.Op == "fsync" {
			cancel()
		}
		return apply()
	}})
	require.NoError(t, err)
	c := mustAcquire(t, s, "k", self())
	r, err := ownership.ReleaseAcknowledge(c.current)
	require.NoError(t, err)
	b, err := ownership.Encode(r)
	require.NoError(t, err)
	leaves = true
	require.NoError(t, s.Publish(ctx, c.hold, c.current.Revision, b))
	require.Error(t, ctx.Err())
	stored, err := s.Load(background, c.digest())
	require.NoError(t, err)
	require.Equal(t, b, stored.Bytes)
}

// The chain is verified: other bytes than a name says are an error, and a rev file
// that the chain does not name did not happen.
func TestPastVerifiesTheChain(t *testing.T) {
	s, dir := newStore(t)
	var revisions []ownership.Revision
	for range 3 {
		c := mustAcquire(t, s, "k", self())
		revisions = append(revisions, c.current.Revision)
		require.NoError(t, c.release())
		revisions = append(revisions, c.current.Revision)
	}
	slices.Reverse(revisions)
	off := filepath.Join(sessionDir(dir, "k"), "rev."+ownership.RevisionOf([]byte("off")).String()+".json")
	require.NoError(t, os.WriteFile(off, []byte("off"), 0o600))
	past := func() (all []ownership.Revision, failed error) {
		for p, err := range s.Past(background, keyOf("k").Digest()) {
			if err != nil {
				failed = errors.Join(failed, err)
				continue
			}
			all = append(all, p.Revision)
		}
		return all, failed
	}
	got, err := past()
	require.NoError(t, err)
	require.Equal(t, revisions[1:], got)

	third := filepath.Join(sessionDir(dir, "k"), "rev."+revisions[3].String()+".json")
	require.NoError(t, os.WriteFile(third, []byte("{}"), 0o600))
	got, err = past()
	require.Error(t, err)
	require.Equal(t, revisions[1:3], got)

	require.NoError(t, os.Remove(third))
	got, err = past()
	require.NoError(t, err, "archived")
	require.Equal(t, revisions[1:3], got)
}
