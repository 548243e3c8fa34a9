//go:build linux

package sigcatch_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"holdfast/internal/sigcatch"
)

const role = "SIGCATCH_TEST_ROLE"

// TestMain is a program that tells what it catches, if the test says so: by a handler of
// its own, or by os/signal, which the second catcher of a process has.
func TestMain(m *testing.M) {
	how := os.Getenv(role)
	if how == "" {
		os.Exit(m.Run())
	}
	told := make(chan syscall.Signal, 1<<10)
	if how == "second" {
		sigcatch.New(func(syscall.Signal) {})
	}
	sigcatch.New(func(sig syscall.Signal) { told <- sig }).Catch(all...)
	fmt.Println("ready")
	for sig := range told {
		fmt.Println(int(sig))
	}
}

var all = []syscall.Signal{
	syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2,
	syscall.SIGWINCH, syscall.SIGCONT, syscall.SIGCHLD, syscall.SIGTSTP,
}

// catching starts the program and returns it with what it tells, a line at a time.
func catching(t *testing.T, how string) (*os.Process, func() string) {
	t.Helper()
	return catchingBy(t, how, os.Args[0])
}

// catchingBy is catching by way of another program.
func catchingBy(t *testing.T, how string, argv ...string) (*os.Process, func() string) {
	t.Helper()
	c := exec.Command(argv[0], argv[1:]...)
	c.Env = append(os.Environ(), role+"="+how)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	guard := time.AfterFunc(30*time.Second, func() { _ = c.Process.Kill() })
	t.Cleanup(func() {
		guard.Stop()
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	lines := bufio.NewReader(out)
	line := func() string {
		text, err := lines.ReadString('\n')
		require.NoError(t, err)
		return strings.TrimSpace(text)
	}
	require.Equal(t, "ready", line())
	return c.Process, line
}

func TestEachSignalIsDelivered(t *testing.T) {
	for _, how := range []string{"first", "second"} {
		p, line := catching(t, how)
		for range 3 {
			for _, sig := range all {
				require.NoError(t, p.Signal(sig))
				require.Equal(t, fmt.Sprint(int(sig)), line(), how)
			}
		}
	}
}

// Where the runtime would have no descriptor left to wait with, it is os/signal.
func TestFewDescriptorsAreEnough(t *testing.T) {
	for _, limit := range []string{"6", "7", "8"} {
		p, line := catchingBy(t, "first", "sh", "-c", "ulimit -n "+limit+`; exec "$0"`, os.Args[0])
		require.NoError(t, p.Signal(syscall.SIGTERM))
		require.Equal(t, "15", line(), limit)
	}
}

// What arrives while the process stands still is delivered when it goes on.
func TestSignalsOfAStoppedProcessArriveLater(t *testing.T) {
	p, line := catching(t, "first")
	require.NoError(t, p.Signal(syscall.SIGSTOP))
	require.Eventually(t, func() bool { return state(t, p.Pid) == "T" }, 30*time.Second, time.Millisecond)
	for _, sig := range []syscall.Signal{syscall.SIGCHLD, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGHUP} {
		require.NoError(t, p.Signal(sig))
	}
	require.NoError(t, p.Signal(syscall.SIGCONT))
	var got []string
	for range 5 {
		got = append(got, line())
	}
	require.ElementsMatch(t, []string{"1", "10", "15", "17", "18"}, got)
}

// A storm takes away nothing of another signal.
func TestAStormDisplacesNothing(t *testing.T) {
	p, line := catching(t, "first")
	for range 2000 {
		require.NoError(t, p.Signal(syscall.SIGUSR1))
	}
	require.NoError(t, p.Signal(syscall.SIGTERM))
	for line() != "15" {
	}
}

// A signal that was blocked when the process began is delivered too.
func TestABlockedSignalIsDelivered(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, blocked unix.Sigset_t
	for _, sig := range []syscall.Signal{syscall.SIGUSR1, syscall.SIGCONT, syscall.SIGTERM} {
		blocked.Val[0] |= 1 << (sig - 1)
	}
	require.NoError(t, unix.PthreadSigmask(unix.SIG_BLOCK, &blocked, &before))
	p, line := catching(t, "first") // with this thread's mask
	require.NoError(t, unix.PthreadSigmask(unix.SIG_SETMASK, &before, nil))
	for _, sig := range all {
		require.NoError(t, p.Signal(sig))
		require.Equal(t, fmt.Sprint(int(sig)), line())
	}
}

// A command started meanwhile has the signals' own actions.
func TestCommandsInheritNothing(t *testing.T) {
	sigcatch.New(func(syscall.Signal) {}).Catch(syscall.SIGUSR1, syscall.SIGTERM)
	for _, name := range []string{"USR1", "TERM"} {
		err := exec.Command("sh", "-c", "kill -"+name+" $$; sleep 30").Run()
		var ended *exec.ExitError
		require.ErrorAs(t, err, &ended)
		require.True(t, ended.Sys().(syscall.WaitStatus).Signaled(), name)
	}
}

func state(t *testing.T, pid int) string {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(status), ") ")
	return rest[:1]
}
