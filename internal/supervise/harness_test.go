//go:build linux

package supervise_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// deadline bounds every wait of these tests for something that must happen.
const deadline = 30 * time.Second

// wrapper is a running test wrapper. Its output goes to files, so that a
// descendant which keeps stdout open keeps nobody waiting.
type wrapper struct {
	t   *testing.T
	dir string
	cmd *exec.Cmd
}

// argvOf is the command line of a wrapper that follows s.
func argvOf(t *testing.T, s spec) []string {
	t.Helper()
	content, err := json.Marshal(s)
	require.NoError(t, err)
	return []string{self(t), "wrap", string(content)}
}

func self(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	require.NoError(t, err)
	return path
}

// prepare makes a wrapper without a controlling terminal, to be started.
func prepare(t *testing.T, s spec) *wrapper {
	t.Helper()
	w := &wrapper{t: t, dir: t.TempDir()}
	s.Report = filepath.Join(w.dir, "report")
	argv := argvOf(t, s)
	w.cmd = exec.Command(argv[0], argv[1:]...)
	w.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	w.cmd.Stdout = w.create("stdout")
	w.cmd.Stderr = w.create("stderr")
	return w
}

func (w *wrapper) create(name string) *os.File {
	w.t.Helper()
	f, err := os.Create(filepath.Join(w.dir, name))
	require.NoError(w.t, err)
	w.t.Cleanup(func() { f.Close() })
	return f
}

func (w *wrapper) start() *wrapper {
	w.t.Helper()
	require.NoError(w.t, w.cmd.Start())
	w.t.Cleanup(func() {
		if w.cmd.ProcessState == nil {
			_ = w.cmd.Process.Kill()
			_, _ = w.cmd.Process.Wait()
		}
	})
	return w
}

func run(t *testing.T, s spec) *wrapper {
	t.Helper()
	return prepare(t, s).start()
}

// wait returns the wrapper's exit code as a shell would see it.
func (w *wrapper) wait() int {
	w.t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- w.cmd.Wait() }()
	select {
	case err := <-ended:
		var exit *exec.ExitError
		require.True(w.t, err == nil || errors.As(err, &exit), "%v", err)
	case <-time.After(deadline):
		require.Fail(w.t, "wrapper does not end", "stderr: %s", w.stderr())
	}
	status := w.cmd.ProcessState.Sys().(syscall.WaitStatus)
	require.NotContains(w.t, w.stderr(), "panic")
	require.NotContains(w.t, w.stderr(), "DATA RACE")
	if status.Signaled() {
		return 128 + int(status.Signal())
	}
	return status.ExitStatus()
}

func (w *wrapper) signal(sig syscall.Signal) {
	w.t.Helper()
	require.NoError(w.t, w.cmd.Process.Signal(sig))
}

func (w *wrapper) stdout() string { return slurp(w.t, filepath.Join(w.dir, "stdout")) }
func (w *wrapper) stderr() string { return slurp(w.t, filepath.Join(w.dir, "stderr")) }

func (w *wrapper) report() (r report) {
	w.t.Helper()
	require.NoError(w.t, json.Unmarshal([]byte(slurp(w.t, filepath.Join(w.dir, "report"))), &r))
	return r
}

// says waits until the wrapper has printed text for people.
func (w *wrapper) says(text string) {
	w.t.Helper()
	eventually(w.t, func() bool { return strings.Contains(w.stderr(), text) }, "no %q on stderr", text)
}

func slurp(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if !errors.Is(err, os.ErrNotExist) {
		require.NoError(t, err)
	}
	return string(content)
}

func eventually(t *testing.T, condition func() bool, format string, args ...any) {
	t.Helper()
	for end := time.Now().Add(deadline); !condition(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			require.FailNowf(t, "did not happen in time", format, args...)
		}
	}
}

// exists says whether a process lives; a zombie does not.
func exists(pid int) bool {
	content, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(content), ") ")
	return !strings.HasPrefix(rest, "Z") && !strings.HasPrefix(rest, "X")
}

// pidIn waits for the pid that a script writes to a file with `echo $$ >file`.
func pidIn(t *testing.T, path string) (pid int) {
	t.Helper()
	eventually(t, func() bool {
		line, whole := strings.CutSuffix(slurp(t, path), "\n")
		var err error
		pid, err = strconv.Atoi(line)
		return whole && err == nil
	}, "no pid in %s", path)
	t.Cleanup(func() { reapLeftover(pid) })
	return pid
}

// reapLeftover ends what a test that failed, or that stranded on purpose, has left.
func reapLeftover(pid int) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err == nil && strings.Contains(string(line), "SUPERVISE_TEST=") {
		_ = unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
	}
}

func fifo(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fifo")
	require.NoError(t, unix.Mkfifo(path, 0o600))
	return path
}

// open opens a FIFO for writing, which waits for its reader, and closes it again.
func open(t *testing.T, fifo string) {
	t.Helper()
	opened := make(chan error, 1)
	go func() {
		f, err := os.OpenFile(fifo, os.O_WRONLY, 0)
		if err == nil {
			f.Close()
		}
		opened <- err
	}()
	select {
	case err := <-opened:
		require.NoError(t, err)
	case <-time.After(deadline):
		require.Fail(t, "nobody reads the FIFO")
	}
}

func sh(script string, args ...string) []string {
	return append([]string{"/bin/sh", "-c", script, "sh"}, args...)
}

func itoa(n int) string { return strconv.Itoa(n) }

func parseHex(t *testing.T, s string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(s, 16, 64)
	require.NoError(t, err)
	return n
}

func stopped(t *testing.T, pid int) bool {
	t.Helper()
	return isInState(t, pid, "T")
}

// reads waits until a shell that has nothing else to wait for sleeps in its read. A trap
// for a signal that comes before that is not run until the read returns.
func reads(t *testing.T, pid int) {
	t.Helper()
	eventually(t, func() bool { return isInState(t, pid, "S") }, "%d does not wait for its input", pid)
}

func isInState(t *testing.T, pid int, letter string) bool {
	t.Helper()
	_, rest, _ := strings.Cut(slurp(t, "/proc/"+itoa(pid)+"/stat"), ") ")
	return strings.HasPrefix(rest, letter)
}
