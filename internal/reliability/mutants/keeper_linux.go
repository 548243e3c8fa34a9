package mutants

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"holdfast/internal/procid"
	"holdfast/internal/reliability/actor"
	"holdfast/internal/reliability/lab"
)

// keeper is the role of a process that runs a command and ends what that leaves: a program with a defect may hang for
// ever, in a session and a process group of its own.
const keeper = "keeper"

func init() { actor.Register(keeper, keep) }

// kept is a command that leaves no process behind, also where ctx ends it. It exits with [notKept] where that cannot be
// said.
func kept(ctx context.Context, argv ...string) *exec.Cmd {
	cmd := actor.Host(ctx, keeper, argv...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	return cmd
}

func keep() int {
	actor.Forget()
	code, err := runAlone(os.Args[1:])
	if err == nil {
		err = endOrphans()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return notKept
	}
	return code
}

// runAlone runs a command, and has whatever it leaves become a child of this process.
func runAlone(argv []string) (code int, err error) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return 0, os.NewSyscallError("prctl PR_SET_CHILD_SUBREAPER", err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return max(1, exit.ExitCode()), nil // -1: by a signal
	}
	return 0, err
}

// endOrphans ends every child of this process, and theirs, which become children with the end of their parent.
func endOrphans() error {
	for deadline := time.Now().Add(lab.Patience); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		scan, err := procid.ScanNow(context.Background())
		if err != nil {
			return err
		}
		for _, child := range scan.Children(os.Getpid()) {
			// Nobody else waits for it, so that its number is its own.
			if err := unix.Kill(child.PID, unix.SIGKILL); err != nil && !errors.Is(err, unix.ESRCH) {
				return fmt.Errorf("kill %d: %w", child.PID, err)
			}
		}
		if !reap() {
			return nil
		}
	}
	return errors.New("what a test left does not end")
}

// reap waits for every child that has ended, and reports whether there are others.
func reap() (more bool) {
	for {
		pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return false
		case pid == 0:
			return true
		}
	}
}
