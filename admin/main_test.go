package admin_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/admin"
	"holdfast/internal/testkit"
	"holdfast/lease"
	"holdfast/lease/dirstore"
	"holdfast/ownership"
)

// roleVariable makes the test binary one of the processes of a test.
const roleVariable = "HOLDFAST_ADMIN_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "":
		testkit.WaitTogether(8)
		os.Setenv("XDG_STATE_HOME", "/proc") // no test may leave a snapshot where snapshots are kept by default
		os.Exit(m.Run())
	case "owner":
		ownerRole(os.Args[1])
	case "survivor":
		select {}
	case "recoverer":
		recovererRole(os.Args[1])
	case "crasher":
		crasherRole(os.Args[1])
	case "saver":
		saverRole(os.Args[1])
	case "pruner":
		prunerRole(os.Args[1])
	case "worker":
		workerRole(os.Args[1], os.Args[2])
	case "reconciler":
		reconcilerRole(os.Args[1])
	case "reader":
		readerRole(os.Args[1])
	}
}

// plan is what an owner process is to do.
type plan struct {
	Store    string
	Key      string
	More     []string // further keys to acquire alike
	Private  bool
	Facts    ownership.Facts
	Survivor bool // start a child that inherits the kin lock
	Abandon  bool
}

// report is what an owner process says of itself once it owns the session.
type report struct {
	Survivor int
	Error    string
}

// ownerRole acquires, and holds until it is killed or told to release.
func ownerRole(arg string) {
	var p plan
	must(json.Unmarshal([]byte(arg), &p))
	s := opened(p.Store)
	l := acquired(s, p.Key, p)
	for _, key := range p.More {
		acquired(s, key, p)
	}
	var r report
	if p.Survivor {
		r.Survivor = startSurvivor(l)
	}
	if p.Abandon {
		must(l.Abandon(context.Background(), "left on purpose"))
	}
	must(json.NewEncoder(os.Stdout).Encode(r))
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		must(l.Release(context.Background()))
		fmt.Println(`{}`)
	}
}

func acquired(s lease.Store, name string, p plan) *lease.Lease {
	key, err := ownership.ParseKey(name)
	must(err)
	o := lease.Owner{Kind: "test", Program: "agent", Private: p.Private, Facts: p.Facts, Kin: p.Survivor}
	l, err := lease.Acquire(context.Background(), s, key, o)
	must(err)
	return l
}

func startSurvivor(l *lease.Lease) int {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"=survivor")
	cmd.ExtraFiles = []*os.File{l.Kin()}
	must(cmd.Start())
	must(l.Kin().Close())
	return cmd.Process.Pid
}

func must(err error) {
	if err != nil {
		_ = json.NewEncoder(os.Stdout).Encode(report{Error: err.Error()})
		os.Exit(1)
	}
}

func opened(path string) lease.Store {
	s, err := dirstore.Open(path, dirstore.Options{})
	must(err)
	return s
}

// owner is a process that owns a session.
type owner struct {
	w      *world
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *json.Decoder
	report report
}

func (w *world) own(p plan) *owner {
	w.Helper()
	p.Store = w.path
	arg, err := json.Marshal(p)
	require.NoError(w, err)
	o := &owner{w: w, cmd: w.role("owner", string(arg))}
	o.stdin, err = o.cmd.StdinPipe()
	require.NoError(w, err)
	out, err := o.cmd.StdoutPipe()
	require.NoError(w, err)
	o.stdout = json.NewDecoder(out)
	require.NoError(w, o.cmd.Start())
	w.Cleanup(o.kill)
	require.NoError(w, o.stdout.Decode(&o.report))
	require.Empty(w, o.report.Error)
	if pid := o.report.Survivor; pid != 0 {
		w.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
	}
	return o
}

func (w *world) role(role string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	cmd.Stderr = os.Stderr
	return cmd
}

func (o *owner) kill() {
	_ = o.cmd.Process.Kill()
	_ = o.cmd.Wait()
}

func (o *owner) release() {
	o.w.Helper()
	_, err := io.WriteString(o.stdin, "release\n")
	require.NoError(o.w, err)
	require.NoError(o.w, o.stdout.Decode(&o.report))
	require.Empty(o.w, o.report.Error)
	o.kill()
}

// killSurvivor ends what the owner left, and waits until its locks are free.
func (o *owner) killSurvivor(t admin.Target) {
	o.w.Helper()
	require.NoError(o.w, syscall.Kill(o.report.Survivor, syscall.SIGKILL))
	o.w.eventually(func() bool {
		live := o.w.inspect(t).Liveness
		return live == nil || live.Verdict != ownership.Alive
	})
}
