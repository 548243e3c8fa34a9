package procid

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

var ctx = context.Background()

// exists asks with the namespace of this test, and of a scan, which must say the same.
func exists(t *testing.T, pid int, startTicks *uint64) bool {
	t.Helper()
	process, found, err := Exists(ownNamespace(), pid, startTicks)
	require.NoError(t, err)
	scanned, shown, err := scan(t).Exists(pid, startTicks)
	require.NoError(t, err)
	require.Equal(t, found, shown)
	require.Equal(t, process, scanned)
	return found
}

// What a scan could not look at, or may not be shown, is never said to have ended.
func TestScanDoesNotSayThatWhatItDidNotSeeHasEnded(t *testing.T) {
	refused := errors.New("refused")
	_, found, err := (&Scan{unread: map[int]error{7: refused}}).Exists(7, nil)
	require.ErrorIs(t, err, refused)
	require.False(t, found)
	_, _, err = (&Scan{Hidden: true}).Exists(7, nil)
	require.ErrorIs(t, err, ErrHidden)
}

func TestSelfExists(t *testing.T) {
	me := Self()
	require.Equal(t, os.Getpid(), me.PID)
	require.NotZero(t, me.StartTicks)
	found, ok, err := Exists(ownNamespace(), me.PID, &me.StartTicks)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, me, found)
}

func TestSamePIDWithOtherStartTicksIsAnotherProcess(t *testing.T) {
	me := Self()
	for _, ticks := range []uint64{me.StartTicks - 1, me.StartTicks + 1} {
		require.False(t, exists(t, me.PID, &ticks))
	}
	require.True(t, exists(t, me.PID, nil), "unknown start ticks fit every process")
	require.True(t, exists(t, me.PID, new(uint64(0))), "0 is unknown too")
}

func TestThreadIsNotAProcess(t *testing.T) {
	thread, release := laterThread()
	defer release()
	require.DirExists(t, filepath.Join("/proc", itoa(thread)), "the thread has a directory like a process")
	require.False(t, exists(t, thread, nil))
}

// laterThread is a thread of ours that is not the first: of two that live at once, one is not.
func laterThread() (tid int, release func()) {
	tids, done := make(chan int), make(chan struct{})
	for range 2 {
		go func() {
			runtime.LockOSThread()
			tids <- unix.Gettid()
			<-done
		}()
	}
	a, b := <-tids, <-tids
	if a == os.Getpid() {
		a = b
	}
	return a, func() { close(done) }
}

func TestEndedProcessDoesNotExist(t *testing.T) {
	p := start(t, "wait", self(t))
	process := p.readSelf(t)
	require.True(t, exists(t, process.PID, &process.StartTicks))
	p.end()
	require.False(t, exists(t, process.PID, &process.StartTicks))
}

func TestZombieIsDead(t *testing.T) {
	p := start(t, "wait", self(t))
	process := p.readSelf(t)
	require.NoError(t, p.stdin.Close())
	require.NoError(t, untilZombie(process.PID))
	require.DirExists(t, filepath.Join("/proc", itoa(process.PID)))
	require.False(t, exists(t, process.PID, &process.StartTicks))
}

// untilZombie waits for a child's end and leaves it unreaped.
func untilZombie(pid int) error {
	return uninterrupted(func() error {
		return unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
	})
}

func TestProcessLivesOnInItsOtherThreads(t *testing.T) {
	p := startLeaderless(t)
	found, ok, err := Exists(ownNamespace(), p.cmd.Process.Pid, nil)
	require.NoError(t, err)
	require.True(t, ok)
	require.NotZero(t, found.StartTicks)
	require.NoError(t, p.stdin.Close())
	require.NoError(t, untilZombie(p.cmd.Process.Pid))
	require.False(t, exists(t, p.cmd.Process.Pid, &found.StartTicks))
}

// startLeaderless starts a process whose first thread is a zombie.
func startLeaderless(t *testing.T) *peer {
	p := start(t, "leader-ends", self(t))
	p.readSelf(t)
	dir, err := openDir("/proc/" + itoa(p.cmd.Process.Pid))
	require.NoError(t, err)
	defer dir.close()
	require.Eventually(t, func() bool {
		s, err := dir.readStat()
		return err == nil && s.ended() && s.threads > 1
	}, 10*time.Second, time.Millisecond)
	return p
}

func TestProgramNamesAreWholeAndOfAnyForm(t *testing.T) {
	for _, name := range []string{"a) b (c", ") R 1 1 1", "a-name-longer-than-fifteen-bytes", "line\nbreak"} {
		t.Run(name, func(t *testing.T) {
			p := start(t, "wait", exec.Command(copied(t, name), "an argument"))
			process := p.readSelf(t)
			require.Equal(t, name, process.Program)
			found, ok, err := Exists(ownNamespace(), process.PID, &process.StartTicks)
			require.NoError(t, err)
			require.True(t, ok)
			require.Equal(t, process, found)
		})
	}
}

// copied is a copy of this test binary under another name.
func copied(t *testing.T, name string) string {
	t.Helper()
	from, err := os.Open("/proc/self/exe")
	require.NoError(t, err)
	defer from.Close()
	path := filepath.Join(t.TempDir(), name)
	to, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o700)
	require.NoError(t, err)
	_, err = io.Copy(to, from)
	require.NoError(t, err)
	require.NoError(t, to.Close())
	return path
}

func TestProgramWhoseFileWasRemovedKeepsItsName(t *testing.T) {
	binary := copied(t, "short-lived-file")
	p := start(t, "wait", exec.Command(binary))
	process := p.readSelf(t)
	require.NoError(t, os.Remove(binary))
	found, ok, err := Exists(ownNamespace(), process.PID, &process.StartTicks)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, "short-lived-file", found.Program)
}

func TestWhatWasNotRecordedCannotBeTold(t *testing.T) {
	_, _, err := Exists(nil, os.Getpid(), nil)
	require.ErrorIs(t, err, ErrNamespaceUnknown)
	for _, pid := range []int{0, -1} {
		_, _, err = Exists(ownNamespace(), pid, nil)
		require.Error(t, err)
	}
}

func TestStartedAt(t *testing.T) {
	require.WithinDuration(t, time.Now(), Self().StartedAt(), 10*time.Minute)
	require.Zero(t, Process{PID: 1}.StartedAt())
}
