package dirstore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"holdfast/internal/testkit"
	"holdfast/lease"
	"holdfast/ownership"
)

func TestALifeLockExcludesOtherProcesses(t *testing.T) {
	s, dir := newStore(t)
	owner := start(t, "hold", nil, dir, "k")
	owner.awaitReady(t)
	d := keyOf("k").Digest()
	_, err := s.Hold(background, d, 1)
	require.ErrorIs(t, err, lease.ErrHeld)
	holders, err := s.Holders(background, d, 1, ownership.LifeLock)
	require.NoError(t, err)
	require.Len(t, holders, 1)
	require.Equal(t, owner.Process.Pid, holders[0].PID)

	owner.kill(t)
	h, err := s.Hold(background, d, 1)
	require.NoError(t, err)
	require.NoError(t, h.Drop())
}

// A claimant that backs off leaves the file, since a probe of a published generation
// would miss it; a publisher removes all names of its generation.
func TestDropLeavesTheNamesAndRetireRemovesThem(t *testing.T) {
	s, dir := newStore(t)
	c := mustAcquire(t, s, "k", self())
	session := sessionDir(dir, "k")
	kin, err := c.hold.Kin()
	require.NoError(t, err)
	require.NoError(t, kin.Close())

	late, err := s.Hold(background, c.digest(), 2)
	require.NoError(t, err)
	require.NoError(t, late.Retire(), "it published nothing")
	require.FileExists(t, filepath.Join(session, "life.2"))

	require.NoError(t, c.hold.Drop())
	require.Contains(t, names(t, session), "life.1")
	require.NoError(t, c.hold.Drop(), "twice")

	again := mustAcquire(t, s, "r", self())
	kin, err = again.hold.Kin()
	require.NoError(t, err)
	require.NoError(t, kin.Close())
	require.NoError(t, again.release())
	left := names(t, sessionDir(dir, "r"))
	require.Len(t, left, 3, "%q", left)
	require.NotContains(t, left, "life.1")
	require.NotContains(t, left, "kin.1")
}

// A record that nobody owns ends its generation: the names go before the wait for the disk,
// the life lock's last, and stay for a Retire that tells where one of them cannot go.
func TestSupersedeTakesTheNamesAlong(t *testing.T) {
	for _, fails := range []string{"", "remove kin.2"} {
		_, dir := newStore(t)
		seen := &calls{failAt: -1}
		s := seen.store(t, dir)
		c := mustAcquire(t, s, "k", self())
		require.NoError(t, c.hold.Drop())
		stranded := c.current
		hold, err := s.Hold(background, c.digest(), 2)
		require.NoError(t, err)
		kin, err := hold.Kin()
		require.NoError(t, err)
		require.NoError(t, kin.Close())
		r, err := ownership.Recover(stranded, ownership.Force{At: ownership.At(time.Now()), Actor: "test", Liveness: ownership.Gone})
		require.NoError(t, err)
		b, err := ownership.Encode(r)
		require.NoError(t, err)

		seen.seen, seen.refused = nil, fails
		require.NoError(t, s.Supersede(background, hold, stranded.Revision, b))
		from := slices.Index(seen.seen, "rename record.json")
		left := names(t, sessionDir(dir, "k"))
		if fails == "" {
			require.Equal(t, []string{"rename record.json", "remove kin.2", "remove life.2", "unlock .", "sync ."}, seen.seen[from:])
			require.NotContains(t, left, "life.2")
			late, err := s.Hold(background, c.digest(), 2) // looked before, and will see that it is too late
			require.NoError(t, err)
			require.NoError(t, hold.Retire())
			require.Contains(t, names(t, sessionDir(dir, "k")), "life.2", "it is the late one's")
			require.NoError(t, late.Drop())
			continue
		}
		require.Contains(t, left, "life.2")
		require.ErrorIs(t, hold.Retire(), errInjected)
		require.Contains(t, names(t, sessionDir(dir, "k")), "life.2")
	}
}

func TestAHoldThatEndedPublishesNothing(t *testing.T) {
	s, _ := newStore(t)
	c := mustAcquire(t, s, "k", self())
	require.NoError(t, c.hold.Drop())
	r, err := ownership.ReleaseAcknowledge(c.current)
	require.NoError(t, err)
	require.Error(t, c.publish(r))
	other, _ := newStore(t)
	held := mustAcquire(t, other, "k", self())
	require.Error(t, s.Publish(background, held.hold, c.current.Revision, c.bytes), "a hold of another store")
}

// The finaliser of an unreachable file would close it and free the lock.
func TestAnUnreachableHoldStaysHeld(t *testing.T) {
	s, _ := newStore(t)
	_, err := acquire(s, "k", self())
	require.NoError(t, err)
	for range 5 {
		runtime.GC()
	}
	_, err = s.Hold(background, keyOf("k").Digest(), 1)
	require.ErrorIs(t, err, lease.ErrHeld)
}

// While somebody holds it, opening, reading and closing the lock's file a hundred
// times in the same process frees nothing, and neither does a refused attempt.
func TestNothingInTheSameProcessFreesALock(t *testing.T) {
	s, dir := newStore(t)
	c := mustAcquire(t, s, "k", self())
	path := filepath.Join(sessionDir(dir, "k"), "life.1")
	for range 100 {
		_, err := os.ReadFile(path)
		require.NoError(t, err)
		_, err = s.Load(background, c.digest())
		require.NoError(t, err)
		_, err = s.Hold(background, c.digest(), 1)
		require.ErrorIs(t, err, lease.ErrHeld)
		live := probed(t, s, *c.current.Record)
		require.Equal(t, ownership.Alive, live.Verdict)
	}
	contender := start(t, "use", nil, dir, "k")
	require.NoError(t, contender.stdin.Close())
	require.Error(t, contender.Wait())
}

// A host that forks all the time sees no refusal that nobody is behind: a child between
// fork and exec has every descriptor of its parent.
func TestForkingCausesNoSpuriousRefusal(t *testing.T) {
	s, _ := newStore(t)
	var stop atomic.Bool
	var forked atomic.Int64
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for !stop.Load() {
			_ = exec.Command("true").Run()
			forked.Add(1)
		}
	}()
	for n := 0; n < testkit.Rounds(300, 3000) || forked.Load() < int64(testkit.Rounds(100, 1000)); n++ {
		h, err := s.Hold(background, keyOf("k").Digest(), 1)
		require.NoError(t, err, "round %d", n)
		require.NoError(t, h.Drop())
	}
	stop.Store(true)
	<-ended
}

// flocks has the kernel answer a role's flock calls as it is told.
func flocks(t *testing.T, answer string) func(*exec.Cmd) {
	t.Helper()
	strace, err := exec.LookPath("strace")
	if err != nil {
		testkit.Skip(t, "strace makes system calls fail")
	}
	return func(c *exec.Cmd) {
		args := []string{strace, "-f", "--seccomp-bpf", "-o", os.DevNull, "-e", "trace=flock", "-e", "inject=flock:" + answer}
		c.Args = append(append(args, c.Path), c.Args[1:]...)
		c.Path = strace
	}
}

// A file system that grants every lock, or none, is found out and named.
func TestLocksThatDoNotWorkAreRefused(t *testing.T) {
	for inject, want := range map[string]string{
		"retval=0": "grants one lock twice", "error=ENOLCK": "cannot lock", "error=ENOSYS": "cannot lock",
	} {
		t.Run(inject, func(t *testing.T) {
			_, dir := newStore(t)
			user := start(t, "use", flocks(t, inject), dir, "k")
			require.NoError(t, user.stdin.Close())
			require.Error(t, user.Wait())
			require.Contains(t, user.stderr.String(), lease.ErrStoreUnavailable.Error())
			require.Contains(t, user.stderr.String(), "the file system ")
			require.Contains(t, user.stderr.String(), want)
			require.NoFileExists(t, filepath.Join(sessionDir(dir, "k"), "record.json"))
		})
	}
}

// A signal that interrupts a lock is no refusal.
func TestAnInterruptedLockIsTriedAgain(t *testing.T) {
	_, dir := newStore(t)
	start(t, "use", flocks(t, "error=EINTR:when=1+2"), dir, "k").end(t)
}

func TestALockFileThatIsNoFileIsRefused(t *testing.T) {
	planted(t, "life.2", func(t *testing.T, s lease.Store, c *turn) {
		_, err := s.Hold(background, c.digest(), 2)
		require.ErrorIs(t, err, lease.ErrStoreUnavailable)
		r, err := ownership.Acquire(c.current, ownership.Claim{Key: c.key, Owner: self()})
		require.NoError(t, err)
		live := probed(t, s, r)
		require.Equal(t, ownership.Unproven, live.Verdict)
	})
}

func TestAKinLockFileThatIsNoFileIsRefused(t *testing.T) {
	for kind, plant := range plants {
		t.Run(kind, func(t *testing.T) {
			s, dir := newStore(t)
			c := mustAcquire(t, s, "k", self())
			target := filepath.Join(t.TempDir(), "target")
			require.NoError(t, os.WriteFile(target, []byte("untouched"), 0o600))
			plant(t, filepath.Join(sessionDir(dir, "k"), "kin.1"), target)
			within(t, 20*time.Second, func() {
				_, err := c.hold.Kin()
				require.ErrorIs(t, err, lease.ErrStoreUnavailable)
				_, err = c.hold.KinHeld()
				require.ErrorIs(t, err, lease.ErrStoreUnavailable)
				_, err = s.Traces(background, c.digest())
				require.Error(t, err, "what cannot be asked may be held")
			})
			b, err := os.ReadFile(target)
			require.NoError(t, err)
			require.Equal(t, "untouched", string(b))
			require.NoFileExists(t, target+".absent")
		})
	}
}

// The kin lock is carried by one descriptor above those that shells number, closes on
// exec, and ends with its last copy.
func TestKin(t *testing.T) {
	s, dir := newStore(t)
	c := mustAcquire(t, s, "k", self())
	held, err := c.hold.KinHeld()
	require.NoError(t, err)
	require.False(t, held)

	kin, err := c.hold.Kin()
	require.NoError(t, err)
	require.GreaterOrEqual(t, int(kin.Fd()), 100)
	flags, err := unix.FcntlInt(kin.Fd(), unix.F_GETFD, 0)
	require.NoError(t, err)
	require.NotZero(t, flags&unix.FD_CLOEXEC)
	_, err = c.hold.Kin()
	require.ErrorIs(t, err, lease.ErrHeld)

	// A child inherits a copy and outlives ours.
	child := exec.Command("cat")
	child.ExtraFiles = []*os.File{kin}
	stdin, err := child.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	require.NoError(t, kin.Close())
	held, err = c.hold.KinHeld()
	require.NoError(t, err)
	require.True(t, held)
	require.NoError(t, c.hold.Drop())
	live := probed(t, s, *c.current.Record)
	require.Equal(t, ownership.Alive, live.Verdict)
	require.Equal(t, ownership.KinLock, live.Held)
	holders, err := s.Holders(background, c.digest(), 1, ownership.KinLock)
	require.NoError(t, err)
	require.Len(t, holders, 1)
	require.Equal(t, child.Process.Pid, holders[0].PID)
	require.Equal(t, "cat", holders[0].Program)

	require.NoError(t, stdin.Close())
	require.NoError(t, child.Wait())
	holders, err = s.Holders(background, c.digest(), 1, ownership.KinLock)
	require.NoError(t, err)
	require.Empty(t, holders)
	require.FileExists(t, filepath.Join(sessionDir(dir, "k"), "kin.1"))
}

// lose is what can happen to a life lock's file and a record behind an owner's back.
var lose = map[string]func(session string) error{
	"life file removed": func(x string) error { return os.Remove(filepath.Join(x, "life.1")) },
	"life file replaced": func(x string) error {
		return errors.Join(os.Remove(filepath.Join(x, "life.1")), os.WriteFile(filepath.Join(x, "life.1"), nil, 0o600))
	},
	"session moved": func(x string) error { return os.Rename(x, x[:len(x)-1]) },
	"session copied": func(x string) error {
		return errors.Join(os.Rename(x, x[:len(x)-1]), exec.Command("cp", "-r", x[:len(x)-1], x).Run())
	},
	"record removed": func(x string) error { return os.Remove(filepath.Join(x, "record.json")) },
	"record replaced": func(x string) error {
		at := filepath.Join(x, "record.json")
		return errors.Join(os.WriteFile(at+"~", []byte("{}"), 0o600), os.Rename(at+"~", at))
	},
}

// An owner that lost its lock or its record notices, and publishes nothing any more.
func TestALostOwnerNoticesAndPublishesNothing(t *testing.T) {
	for what, happen := range lose {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			s, dir := newStore(t)
			c := mustAcquire(t, s, "k", self())
			watched := make(chan error, 1)
			go func() { watched <- c.hold.Watch(background) }()
			require.NoError(t, happen(sessionDir(dir, "k")))
			select {
			case err := <-watched:
				require.ErrorIs(t, err, lease.ErrOwnershipLost)
			case <-time.After(30 * time.Second):
				t.Fatal("it never noticed")
			}
			before := tree(t, dir)
			r, err := ownership.ReleaseAcknowledge(c.current)
			require.NoError(t, err)
			err = c.publish(r)
			require.True(t, errors.Is(err, lease.ErrOwnershipLost) || errors.Is(err, lease.ErrConflict), "%v", err)
			require.Equal(t, before, tree(t, dir))
		})
	}
}

// What an owner does itself, and a copy of the very same record, are no loss.
func TestWatchIgnoresWhatIsNoLoss(t *testing.T) {
	t.Parallel() // it mostly waits
	s, dir := newStore(t)
	c := mustAcquire(t, s, "k", self())
	ctx, cancel := withTimeout(t, 3*lease.WatchInterval+lease.WatchInterval/2)
	defer cancel()
	watched := make(chan error, 1)
	go func() { watched <- c.hold.Watch(ctx) }()
	for n, until := 0, time.Now().Add(lease.WatchInterval*3/2); time.Now().Before(until); n++ {
		worktree := fmt.Sprint("/srv/work/", n)
		r, err := ownership.Describe(c.current, ownership.Facts{Worktree: &worktree})
		require.NoError(t, err)
		require.NoError(t, c.publish(r))
	}
	at := filepath.Join(sessionDir(dir, "k"), "record.json")
	require.NoError(t, os.WriteFile(at+"~", c.bytes, 0o600))
	require.NoError(t, os.Rename(at+"~", at))
	require.ErrorIs(t, <-watched, context.DeadlineExceeded)
	require.NoError(t, c.release())
}

// What a view has open may be the store's no longer when it is asked for a hold.
func TestAViewOfAStoreThatWasReplacedGivesNoHold(t *testing.T) {
	s, dir := newStore(t)
	require.NoError(t, mustAcquire(t, s, "k", self()).release())
	v := s.View(keyOf("k").Digest())
	defer v.Close()
	require.NoError(t, os.Rename(dir, dir+".old"))
	s = openStore(t, dir) // another process
	require.NoError(t, mustAcquire(t, s, "k", self()).release())
	owner := mustAcquire(t, s, "k", self()) // refuses the second lock that a hold must be refused
	before := tree(t, dir)
	_, err := v.Hold(background, owner.hold.Generation())
	require.ErrorIs(t, err, lease.ErrStoreUnavailable)
	require.Equal(t, before, tree(t, dir))
}

// A store that others may write to from one moment to the next takes no publish, not even
// of who holds a session in it.
func TestPublishAsksWhoMayWriteToTheStore(t *testing.T) {
	s, dir := newStore(t)
	owner := mustAcquire(t, s, "k", self())
	require.NoError(t, os.Chmod(dir, 0o777))
	before := tree(t, dir)
	require.ErrorIs(t, owner.release(), lease.ErrPermission)
	require.Equal(t, before, tree(t, dir))
	require.NoError(t, os.Chmod(dir, 0o700))
	require.NoError(t, owner.release())
}
