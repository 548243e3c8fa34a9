package halt_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/procid"
	"holdfast/internal/testkit"
)

// roleVariable makes the test binary one of the processes of a test.
const roleVariable = "HOLDFAST_HALT_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "":
		testkit.PrepareChildren()
		os.Exit(m.Run())
	case "meek":
		ready()
	case "stubborn":
		signal.Ignore(syscall.SIGINT, syscall.SIGTERM)
		ready()
	case "striker":
		strike(os.Args[1], os.Args[2])
	}
}

func skip(t *testing.T, why string) { testkit.Skip(t, "no pid namespace can be made: "+why) }

func ready() {
	fmt.Println("ready")
	select {}
}

// worker is a child of the test.
type worker struct {
	cmd *exec.Cmd
	procid.Process
}

func start(t *testing.T, role string) worker {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	require.True(t, bufio.NewScanner(out).Scan())
	p, exists, err := procid.Exists(procid.ThisHost().PIDNamespace, cmd.Process.Pid, nil)
	require.NoError(t, err)
	require.True(t, exists)
	return worker{cmd, p}
}

// end waits for the child and returns the signal that ended it.
func (w worker) end(t *testing.T) syscall.Signal {
	t.Helper()
	_ = w.cmd.Wait()
	return w.cmd.ProcessState.Sys().(syscall.WaitStatus).Signal()
}

func (w worker) lives(t *testing.T) bool {
	t.Helper()
	_, exists, err := procid.Exists(procid.ThisHost().PIDNamespace, w.PID, &w.StartTicks)
	require.NoError(t, err)
	return exists
}
