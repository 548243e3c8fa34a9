//go:build linux

package supervise_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// kinHeld says whether any process holds the lock of a kin file.
func kinHeld(t *testing.T, path string) bool {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	err = unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB)
	if err != unix.EWOULDBLOCK {
		require.NoError(t, err)
	}
	return err == unix.EWOULDBLOCK
}

// opens says whether a process has the file open, and whether close-on-exec.
func opens(t *testing.T, pid int, path string) (open, cloexec bool) {
	t.Helper()
	dir := "/proc/" + itoa(pid) + "/fd"
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		if target, _ := os.Readlink(filepath.Join(dir, e.Name())); target == path {
			info := slurp(t, "/proc/"+itoa(pid)+"/fdinfo/"+e.Name())
			return true, strings.Contains(info, "flags:\t02")
		}
	}
	return false, false
}

func TestKinOutlivesAKilledWrapperWithItsDescendants(t *testing.T) {
	dir := t.TempDir()
	kin, child, grandchild := filepath.Join(dir, "kin"), filepath.Join(dir, "c"), filepath.Join(dir, "g")
	w := run(t, spec{Argv: sh(`sh -c 'echo $$ >$0; exec sleep 300' $2 & echo $$ >$1; exec sleep 300`, child, grandchild), Kin: kin})
	c, g := pidIn(t, child), pidIn(t, grandchild)
	for _, pid := range []int{c, g} {
		open, cloexec := opens(t, pid, kin)
		require.True(t, open)
		require.False(t, cloexec)
	}
	eventually(t, func() bool { open, _ := opens(t, w.cmd.Process.Pid, kin); return !open }, "still open in the wrapper")
	w.signal(syscall.SIGKILL)
	require.Equal(t, 137, w.wait())
	require.True(t, kinHeld(t, kin))
	require.NoError(t, syscall.Kill(c, syscall.SIGKILL))
	require.True(t, kinHeld(t, kin))
	require.NoError(t, syscall.Kill(g, syscall.SIGKILL))
	eventually(t, func() bool { return !kinHeld(t, kin) }, "kin still held")
}

func TestKinSurvivesNestingAndExec3(t *testing.T) {
	dir := t.TempDir()
	outer, inner, pid := filepath.Join(dir, "outer"), filepath.Join(dir, "inner"), filepath.Join(dir, "pid")
	nested := argvOf(t, spec{Kin: inner, Argv: sh(`exec 3>/dev/null 4>&3; echo $$ >$1; exec sleep 300`, pid)})
	w := run(t, spec{Grace: deadline, Kin: outer, Argv: append(sh(`exec 3>/dev/null; "$@"`), nested...)})
	c := pidIn(t, pid)
	for _, kin := range []string{outer, inner} {
		open, cloexec := opens(t, c, kin)
		require.True(t, open)
		require.False(t, cloexec)
	}
	w.signal(syscall.SIGTERM)
	require.Equal(t, 143, w.wait())
	require.False(t, kinHeld(t, outer))
	require.False(t, kinHeld(t, inner))
}

func TestCommandThatClosesKin(t *testing.T) {
	dir := t.TempDir()
	kin, pid, release := filepath.Join(dir, "kin"), filepath.Join(dir, "pid"), fifo(t)
	script := `import os,sys
os.closerange(3, 4096)
open(sys.argv[1], "w").write("%d\n" % os.getpid())
open(sys.argv[2]).read()`
	w := run(t, spec{Kin: kin, Argv: []string{"python3", "-c", script, pid, release}})
	pidIn(t, pid)
	require.False(t, kinHeld(t, kin), "a free kin lock proves nothing")
	open(t, release)
	require.Zero(t, w.wait())
	require.True(t, w.report().Quiescent)
}

func TestKinIsDroppedWhenNothingStarts(t *testing.T) {
	kin := filepath.Join(t.TempDir(), "kin")
	w := run(t, spec{Kin: kin, Argv: []string{"/nonexistent"}})
	require.Equal(t, 127, w.wait())
	require.False(t, kinHeld(t, kin))
}
