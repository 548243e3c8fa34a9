package probe_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/probe"
	"holdfast/internal/procid"
	"holdfast/internal/testkit"
	"holdfast/ownership"
)

// roleVariable makes the test binary play a part in another process.
const roleVariable = "HOLDFAST_PROBE_TEST_ROLE"

// quietRace spares each child the second that the race detector waits at its end.
const quietRace = "GORACE=atexit_sleep_ms=0"

const (
	hang = 60 * time.Second // bounds waits that end at once unless something is broken
	tick = 5 * time.Millisecond
)

func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "":
		os.Exit(m.Run())
	case "live":
		live()
	case "live-without-first-thread":
		liveWithoutFirstThread()
	case "probe":
		probeFromHere(false)
	case "probe-abandoned":
		probeFromHere(true)
	}
}

// live says that it runs, and ends with its standard input.
func live() {
	fmt.Println(os.Getpid())
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// init keeps the main goroutine on the first thread.
func init() {
	if os.Getenv(roleVariable) == "live-without-first-thread" {
		runtime.LockOSThread()
	}
}

// liveWithoutFirstThread lives on in another thread, which makes its process look like
// a zombie.
func liveWithoutFirstThread() {
	go func() {
		live()
		os.Exit(0)
	}()
	_, _, _ = syscall.Syscall(syscall.SYS_EXIT, 0, 0, 0)
}

// result is what a probe in another process prints.
type result struct {
	Evidence []ownership.Evidence
	Clear    bool
}

func probeFromHere(abandoned bool) {
	var r ownership.Record
	if err := json.NewDecoder(os.Stdin).Decode(&r); err != nil {
		panic(err)
	}
	var got result
	got.Evidence, got.Clear = probe.Owner(context.Background(), r, abandoned)
	if err := json.NewEncoder(os.Stdout).Encode(got); err != nil {
		panic(err)
	}
}

// process is a child in the role of something that lives.
type process struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	pid   int // by its own account, in its own namespace
}

// start runs this test binary in a role, below the words of wrap, and waits until it
// runs.
func start(t *testing.T, role string, env []string, wrap ...string) *process {
	t.Helper()
	words := append(slices.Clone(wrap), copyForAll(t))
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env = append(append(os.Environ(), roleVariable+"="+role, quietRace), env...)
	return startCommand(t, cmd)
}

func startCommand(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	p := &process{cmd: cmd, stdin: stdin}
	t.Cleanup(p.end)
	_, err = fmt.Fscan(stdout, &p.pid)
	require.NoError(t, err)
	return p
}

// end lets the process go and reaps it.
func (p *process) end() {
	_ = p.stdin.Close()
	_ = p.cmd.Wait() // the second time says only that it was waited for
}

func executable(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	return self
}

// recordOf is an active record whose owner is the process, as it would say itself.
func recordOf(t *testing.T, p *process) ownership.Record {
	t.Helper()
	namespace := namespaceOf(t, p.pidHere(t))
	found, exists, err := procid.Exists(&namespace, p.pid, nil)
	require.NoError(t, err)
	require.True(t, exists)
	return ownership.Record{State: ownership.RecordActive, Owner: &ownership.Owner{
		OperationID: ownership.OperationID(fresh()), BootID: procid.ThisHost().BootID,
		PIDNamespace: &namespace, PID: p.pid, StartTicks: &found.StartTicks, Program: found.Program,
	}}
}

func namespaceOf(t *testing.T, pid int) uint64 {
	t.Helper()
	info, err := os.Stat(filepath.Join("/proc", strconv.Itoa(pid), "ns/pid"))
	require.NoError(t, err)
	return info.Sys().(*syscall.Stat_t).Ino
}

// pidHere is the number of the process in our namespace. Some commands, such as
// unshare --fork, are the parent of what they start.
func (p *process) pidHere(t *testing.T) int {
	t.Helper()
	pid := p.cmd.Process.Pid
	for pid != p.pid {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
		require.NoError(t, err)
		if len(b) == 0 {
			break
		}
		_, err = fmt.Sscan(string(b), &pid)
		require.NoError(t, err)
	}
	return pid
}

func fresh() (b [16]byte) {
	_, _ = rand.Read(b[:]) // never fails: it ends the process instead
	return b
}

// stateOf is the state of a process's first thread, 0 when there is none.
func stateOf(t *testing.T, pid int) byte {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	return b[bytes.LastIndexByte(b, ')')+2]
}

// threadOf is the id of a thread that is not the first of its process.
func threadOf(t *testing.T, pid int) int {
	t.Helper()
	threads := threadsOf(t, pid)
	i := slices.IndexFunc(threads, func(tid int) bool { return tid != pid })
	require.NotEqual(t, -1, i, "the process has one thread only")
	return threads[i]
}

func threadsOf(t *testing.T, pid int) (tids []int) {
	t.Helper()
	threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	require.NoError(t, err)
	for _, thread := range threads {
		tid, err := strconv.Atoi(thread.Name())
		require.NoError(t, err)
		tids = append(tids, tid)
	}
	return tids
}

func operation(r ownership.Record) string {
	return "SESSION_OPERATION_ID=" + r.Owner.OperationID.String()
}

// probeThrough asks about r from another process, started below the words of wrap.
func probeThrough(t *testing.T, r ownership.Record, wrap ...string) result {
	t.Helper()
	return probeInRole(t, "probe", r, wrap...)
}

func probeInRole(t *testing.T, role string, r ownership.Record, wrap ...string) result {
	t.Helper()
	b, err := json.Marshal(r)
	require.NoError(t, err)
	words := append(slices.Clone(wrap), copyForAll(t))
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env = append(os.Environ(), roleVariable+"="+role, quietRace)
	cmd.Stdin, cmd.Stderr = strings.NewReader(string(b)), os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	var got result
	require.NoError(t, json.Unmarshal(out, &got))
	return got
}

// copyForAll makes a copy of the test binary that every user may start.
func copyForAll(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(executable(t))
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o755))
	path := filepath.Join(dir, "probe.test")
	require.NoError(t, os.WriteFile(path, b, 0o755))
	return path
}

// unshared returns the words that start a command in new namespaces.
func unshared(t *testing.T, flags ...string) []string {
	t.Helper()
	words := append([]string{"unshare"}, flags...)
	if out, err := exec.Command(words[0], append(words[1:], "true")...).CombinedOutput(); err != nil {
		testkit.Skip(t, fmt.Sprintf("%v: %v: %s", words, err, out))
	}
	return words
}

// findings are the answers to one probe, in order.
func findings(evidence []ownership.Evidence, name string) (all []ownership.Finding) {
	for _, e := range evidence {
		if e.Probe == name {
			all = append(all, e.Finding)
		}
	}
	return all
}

func requireFindings(t *testing.T, evidence []ownership.Evidence, name string, want ...ownership.Finding) {
	t.Helper()
	require.Equal(t, want, findings(evidence, name), "%+v", evidence)
}
