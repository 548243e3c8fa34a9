package preempt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"holdfast/internal/reliability/actor"
	"holdfast/internal/reliability/lab"
)

// stopped is a workload that stands still after one of its calls.
type stopped struct {
	cmd  *exec.Cmd
	log  string
	said bytes.Buffer
	done chan error
}

// stopAfter runs a workload until it stops after a call. It returns nil if the workload
// ended before.
func stopAfter(ctx context.Context, s *lab.Scene, r *lab.Run, call lab.Call) (*stopped, error) {
	log := filepath.Join(filepath.Dir(r.Dir), "strace")
	options := []string{"strace", "-qq", "-o", log, "-e", "trace=" + call.Name, "-e", call.Tampering("signal=STOP")}
	v := &stopped{cmd: actor.Under(ctx, options, r.Dir, s.Args(r.Told)...), log: log, done: make(chan error, 1)}
	v.cmd.Stderr = &v.said
	v.cmd.WaitDelay = lab.Patience
	if err := v.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { v.done <- v.cmd.Wait() }()
	for deadline := time.Now().Add(lab.Patience); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		b, err := os.ReadFile(log)
		if err == nil && bytes.Contains(b, []byte("stopped by SIGSTOP")) {
			return v, nil
		}
		select {
		case err := <-v.done:
			return nil, v.ended(r, err)
		default:
		}
	}
	return nil, errors.Join(errors.New("neither stops nor ends"), v.cmd.Process.Kill())
}

func (v *stopped) ended(r *lab.Run, err error) error {
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return err
	}
	r.Exit, r.Said = v.cmd.ProcessState.ExitCode(), v.said.String()
	return nil
}

// goOn lets the workload go on to its end.
func (v *stopped) goOn(r *lab.Run) error {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", v.cmd.Process.Pid))
	if err != nil {
		return err
	}
	for _, word := range strings.Fields(string(b)) {
		pid, err := strconv.Atoi(word)
		if err != nil {
			return err
		}
		if err := unix.Kill(pid, unix.SIGCONT); err != nil {
			return err
		}
	}
	select {
	case err := <-v.done:
		return v.ended(r, err)
	case <-time.After(lab.Patience):
		return errors.Join(errors.New("does not end after it went on"), v.cmd.Process.Kill())
	}
}
