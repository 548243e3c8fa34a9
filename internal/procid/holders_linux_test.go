package procid

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// lockFile is an open file and what stat says of it.
func lockFile(t testing.TB) (*os.File, fs.FileInfo) {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "life.1"))
	require.NoError(t, err)
	t.Cleanup(func() { file.Close() })
	info, err := file.Stat()
	require.NoError(t, err)
	return file, info
}

func lock(t testing.TB, file *os.File, how int) {
	t.Helper()
	require.NoError(t, unix.Flock(int(file.Fd()), how|unix.LOCK_NB))
}

// holders tolerates that some processes cannot be looked into: in a sandbox, even root may not inspect process 1.
func holders(t testing.TB, info fs.FileInfo) []Process {
	t.Helper()
	found, err := Holders(info)
	if err != nil {
		var partial *PartialError
		require.ErrorAs(t, err, &partial)
	}
	return found
}

func TestHolders(t *testing.T) {
	file, info := lockFile(t)
	require.Empty(t, holders(t, info), "open, and not locked")
	lock(t, file, unix.LOCK_EX)
	require.Equal(t, []Process{Self()}, holders(t, info))
	_, other := lockFile(t)
	require.Empty(t, holders(t, other))
	lock(t, file, unix.LOCK_UN)
	require.Empty(t, holders(t, info))
}

func TestProbesAreNotHolders(t *testing.T) {
	file, info := lockFile(t)
	lock(t, file, unix.LOCK_SH)
	require.Empty(t, holders(t, info))
}

func TestWaitersAreNotHolders(t *testing.T) {
	file, info := lockFile(t)
	lock(t, file, unix.LOCK_EX)
	second, err := os.OpenFile(file.Name(), os.O_RDWR, 0)
	require.NoError(t, err)
	defer second.Close()
	require.ErrorIs(t, unix.Flock(int(second.Fd()), unix.LOCK_EX|unix.LOCK_NB), unix.EWOULDBLOCK)
	require.NoError(t, file.Close())
	require.Empty(t, holders(t, info), "the lock went with the descriptor that took it")
}

func TestHoldersAreThoseWhoHaveItNow(t *testing.T) {
	file, info := lockFile(t)
	p := start(t, "take-and-die", self(t, file.Name()))
	child := p.readSelf(t)
	state, err := p.cmd.Process.Wait() // Cmd.Wait would close the child's standard input
	require.NoError(t, err)
	require.True(t, state.Success(), "who took the lock has gone")
	require.NotEqual(t, p.cmd.Process.Pid, child.PID)
	require.Equal(t, []Process{child}, holders(t, info))
	require.NoError(t, os.Remove(file.Name()))
	require.Equal(t, []Process{child}, holders(t, info), "the name has gone, the lock has not")
	p.end()
	require.Eventually(t, func() bool { return len(holders(t, info)) == 0 }, 10*time.Second, time.Millisecond)
}

// Between fork and exec a child has every descriptor, and exec closes most of them.
func TestKeepersHaveItBeyondAnExec(t *testing.T) {
	file, info := lockFile(t)
	lock(t, file, unix.LOCK_EX)
	keepers := func() []Process {
		found, err := Keepers(info)
		if err != nil {
			require.ErrorAs(t, err, new(*PartialError))
		}
		return found
	}
	require.Equal(t, []Process{Self()}, keepers(), "this process is at no exec")
	require.True(t, closesOnExec([]byte("pos:\t0\nflags:\t02100002\n")))
	require.False(t, closesOnExec([]byte("pos:\t0\nflags:\t0100002\n")))
	require.False(t, closesOnExec(nil))
}

func TestHoldersNameAProcessOnce(t *testing.T) {
	file, info := lockFile(t)
	lock(t, file, unix.LOCK_EX)
	second, err := unix.Dup(int(file.Fd()))
	require.NoError(t, err)
	defer unix.Close(second)
	require.Len(t, holders(t, info), 1)
}

func BenchmarkHolders(b *testing.B) {
	file, info := lockFile(b)
	lock(b, file, unix.LOCK_EX)
	for b.Loop() {
		require.Len(b, holders(b, info), 1)
	}
}
