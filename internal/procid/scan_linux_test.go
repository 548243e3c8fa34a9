package procid

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// freshOperation is an operation id that no other process carries, also where these tests run twice at once.
func freshOperation() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails
	return hex.EncodeToString(id[:])
}

// carrying starts a waiting process with an operation id in its environment.
func carrying(t testing.TB, id string) (*peer, Process) {
	cmd := self(t)
	cmd.Env = append(os.Environ(), "SESSION_OPERATION_ID="+id)
	p := start(t, "wait", cmd)
	return p, p.readSelf(t)
}

func scan(t testing.TB) *Scan {
	t.Helper()
	s, err := ScanNow(ctx)
	require.NoError(t, err)
	return s
}

func TestScanFindsOperation(t *testing.T) {
	id := freshOperation()
	p, process := carrying(t, id)
	s := scan(t)
	require.Equal(t, []Process{process}, s.WithOperation(id, 0))
	require.Equal(t, []Process{process}, s.WithOperation(id, process.StartTicks))
	require.Empty(t, s.WithOperation(id, process.StartTicks+1), "it was there before")
	require.Empty(t, s.WithOperation(id[1:], 0))
	require.Empty(t, s.WithOperation("", 0))
	p.end()
	require.Empty(t, scan(t).WithOperation(id, 0))
}

func TestScanLeavesOutZombies(t *testing.T) {
	id := freshOperation()
	p, process := carrying(t, id)
	require.NoError(t, p.stdin.Close())
	require.NoError(t, untilZombie(process.PID))
	s := scan(t)
	require.Empty(t, s.WithOperation(id, 0))
	require.NotContains(t, s.Descendants(os.Getpid()), process)
}

func TestScanSeesThroughAnEndedFirstThread(t *testing.T) {
	id := freshOperation()
	t.Setenv("SESSION_OPERATION_ID", id)
	p := startLeaderless(t)
	found := scan(t).WithOperation(id, 0)
	require.Len(t, found, 1)
	require.Equal(t, p.cmd.Process.Pid, found[0].PID)
	require.Contains(t, scan(t).WorkingIn(workdir(t)), found[0], "its files are looked at through the thread that lives")
}

func workdir(t *testing.T) string {
	dir, err := os.Getwd()
	require.NoError(t, err)
	return dir
}

func TestScanFindsProgramsThatReplaceEachOther(t *testing.T) {
	id := freshOperation()
	cmd := exec.Command("sh", "-c", `[ "$1" -gt 0 ] && exec "$0" -c "$2" "$0" $(($1 - 1)) "$2"`, "sh", "3000")
	cmd.Args = append(cmd.Args, cmd.Args[2])
	cmd.Env = append(os.Environ(), "SESSION_OPERATION_ID="+id)
	require.NoError(t, cmd.Start())
	defer cmd.Wait()
	defer cmd.Process.Kill()
	for range 200 {
		require.Len(t, scan(t).WithOperation(id, 0), 1)
	}
}

func TestDescendantsAndGroup(t *testing.T) {
	cmd := exec.Command("sh", "-c", `"$0" <&3 & wait`, self(t).Path)
	r, w, err := os.Pipe()
	require.NoError(t, err)
	cmd.ExtraFiles = []*os.File{r}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p := start(t, "wait", cmd)
	require.NoError(t, r.Close())
	t.Cleanup(func() { w.Close() })
	grandchild := p.readSelf(t)

	s := scan(t)
	shell := p.cmd.Process.Pid
	require.Equal(t, []Process{grandchild}, s.Descendants(shell))
	require.Contains(t, s.Descendants(os.Getpid()), grandchild)
	require.NotContains(t, s.Descendants(os.Getpid()), Self())
	require.Empty(t, s.Descendants(grandchild.PID))
	group := s.Group(shell)
	require.Len(t, group, 2)
	require.Contains(t, group, grandchild)
	require.NotContains(t, s.Group(syscall.Getpgrp()), grandchild)
}

func TestWorkingIn(t *testing.T) {
	root := t.TempDir()
	inside, beside := filepath.Join(root, "wt", "deep"), filepath.Join(root, "wt-2")
	require.NoError(t, os.MkdirAll(inside, 0o700))
	require.NoError(t, os.Mkdir(beside, 0o700))
	link := filepath.Join(root, "link")
	require.NoError(t, os.Symlink(filepath.Join(root, "wt"), link))
	process := workingIn(t, inside)
	workingIn(t, beside)

	s := scan(t)
	for _, dir := range []string{inside, filepath.Join(root, "wt"), link, inside + "/"} {
		require.Equal(t, []Process{process}, s.WorkingIn(dir), dir)
	}
	require.Empty(t, s.WorkingIn(filepath.Join(inside, "deeper")))
	require.Contains(t, s.WorkingIn("/"), process)
	require.NoError(t, os.Remove(inside))
	require.Equal(t, []Process{process}, s.WorkingIn(filepath.Join(root, "wt")), "its directory was removed")
}

func workingIn(t *testing.T, dir string) Process {
	cmd := self(t)
	cmd.Dir = dir
	return start(t, "wait", cmd).readSelf(t)
}

func TestScanObeysItsContext(t *testing.T) {
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	_, err := ScanNow(cancelled)
	require.ErrorIs(t, err, context.Canceled)
}

func BenchmarkScan(b *testing.B) {
	for b.Loop() {
		s := scan(b)
		b.ReportMetric(float64(len(s.processes)), "processes")
	}
}
