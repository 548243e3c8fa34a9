package procid

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// roleVariable makes the test binary, executed again, one of the processes that a test is about. Its first argument is
// the role's.
const roleVariable = "HOLDFAST_PROCID_ROLE"

var roles = map[string]func(){
	"wait":          announceAndWait,
	"leader-ends":   endFirstThread,
	"take-and-die":  takeLockAndDie,
	"report":        reportView,
	"report-nobody": reportAsNobody,
	"rename-host":   renameHost,
}

func init() {
	if os.Getenv(roleVariable) == "leader-ends" {
		runtime.LockOSThread() // keeps main on the first thread
	}
}

func TestMain(m *testing.M) {
	if role := roles[os.Getenv(roleVariable)]; role != nil {
		role()
		return
	}
	os.Exit(m.Run())
}

// announceAndWait lives until its standard input ends.
func announceAndWait() {
	answer(Self())
	_, _ = io.Copy(io.Discard, os.Stdin)
}

func answer(v any) { _ = json.NewEncoder(os.Stdout).Encode(v) }

func endFirstThread() {
	go func() {
		announceAndWait()
		os.Exit(0)
	}()
	// exit, and not exit_group: the other threads stay.
	_, _, _ = syscall.Syscall(syscall.SYS_EXIT, 0, 0, 0)
}

// takeLockAndDie leaves a child that inherited the lock.
func takeLockAndDie() {
	file, err := os.OpenFile(os.Args[1], os.O_RDWR, 0)
	must(err)
	must(unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB))
	cmd := again("wait")
	cmd.ExtraFiles = []*os.File{file}
	must(cmd.Start())
}

func renameHost() {
	var names []string
	for _, name := range []string{"before", "after"} {
		must(unix.Sethostname([]byte(name)))
		names = append(names, ThisHost().Name)
	}
	answer(names)
}

// again is this binary in another role, on our own standard files.
func again(role string, args ...string) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe", args...)
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return cmd
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// report is what a process can know from where it is.
type report struct {
	Self                               Process
	SelfExists, Found                  bool
	Failed, Unseen, Hidden             bool // how the search for the given process ended
	ScanFailed, ScanForeign            bool
	ScanHidden                         bool
	EnvironUnreadable, HoldersUnlooked int
}

func reportView() {
	namespace, _ := strconv.ParseUint(os.Args[1], 10, 64)
	pid, _ := strconv.Atoi(os.Args[2])
	r := report{Self: Self()}
	_, r.SelfExists, _ = Exists(ownNamespace(), r.Self.PID, &r.Self.StartTicks)
	_, found, err := Exists(&namespace, pid, nil)
	r.Found, r.Failed = found, err != nil
	r.Unseen, r.Hidden = errors.Is(err, ErrNamespaceUnseen), errors.Is(err, ErrHidden)
	scan, err := ScanNow(ctx)
	r.ScanFailed, r.ScanForeign = err != nil, errors.Is(err, ErrForeignProc)
	if err == nil {
		r.EnvironUnreadable, r.ScanHidden = scan.EnvironUnreadable, scan.Hidden
	}
	r.HoldersUnlooked = unlooked()
	answer(r)
}

func unlooked() int {
	info, err := os.Stat("/")
	must(err)
	var partial *PartialError
	if _, err := Holders(info); errors.As(err, &partial) {
		return partial.Unreadable
	}
	return 0
}

func reportAsNobody() {
	cmd := again("report", os.Args[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	must(cmd.Run())
}

// peer is a process in a role, until the end of the test.
type peer struct {
	cmd    *exec.Cmd
	stdin  io.Closer
	answer *bufio.Reader
}

// start runs cmd in a role. The peer ends when its standard input does.
func start(t testing.TB, role string, cmd *exec.Cmd) *peer {
	t.Helper()
	// The race detector would keep every process for a second after its end.
	cmd.Env = append(cmd.Environ(), roleVariable+"="+role, "GORACE=atexit_sleep_ms=0")
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	p := &peer{cmd: cmd, stdin: stdin, answer: bufio.NewReader(stdout)}
	t.Cleanup(p.end)
	return p
}

// end is done when the last process that has the peer's standard output is.
func (p *peer) end() {
	_ = p.stdin.Close()
	_, _ = io.Copy(io.Discard, p.answer)
	_ = p.cmd.Wait()
}

func (p *peer) read(t testing.TB, v any) {
	t.Helper()
	line, err := p.answer.ReadBytes('\n')
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(line, v))
}

func (p *peer) readSelf(t testing.TB) (self Process) {
	p.read(t, &self)
	return self
}

// self is the command that executes this test binary.
func self(t testing.TB, args ...string) *exec.Cmd {
	binary, err := os.Executable()
	require.NoError(t, err)
	return exec.Command(binary, args...)
}
