package powercut

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"holdfast/internal/reliability/actor"
	"holdfast/internal/reliability/check"
	"holdfast/internal/reliability/lab"
)

// users are who used a store, and what they were told.
type users struct {
	report  *lab.Report
	store   string
	crowd   int // sessions in use at once
	history check.History
}

func newUsers(r *lab.Report, store string, crowd int) *users {
	return &users{r, store, crowd, check.History{}}
}

// workUntil has a worker at work until the power fails, at a moment that chance
// decides.
func (u *users) workUntil(ctx context.Context, chance *rand.Rand, d *disk) error {
	cmd := actor.Role(ctx, nil, worker, u.store, strconv.Itoa(u.crowd))
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	heard := listen(out)
	time.Sleep(20*time.Millisecond + time.Duration(chance.Int64N(int64(120*time.Millisecond))))
	before, cutErr := u.cut(cmd, d, heard)
	after := heard.all()
	_ = cmd.Wait()
	for i := range u.crowd {
		u.history.Of(keyOf(i).Digest()).Unanswered++
	}
	for n, line := range after {
		told, r, err := parseTold(line)
		switch {
		case err != nil:
			return fmt.Errorf("the worker says %q: %w: %s", line, err, said.String())
		case n < len(before):
			u.history.Of(told).Told = append(u.history.Of(told).Told, r)
		default:
			u.history.Of(told).Unanswered++
		}
	}
	u.report.Count("records told of before a cut", len(before))
	return cutErr
}

// cut cuts the power, and returns what was told before it. What is told later does not
// count: after a shutdown xfs answers the sync of a directory as done whose changes it
// has just dropped, and no machine says anything after its power failed.
func (u *users) cut(cmd *exec.Cmd, d *disk, heard *listener) (before []string, err error) {
	if d.how == "copy" {
		// The copy takes time, in which everybody stands still.
		if err := cmd.Process.Signal(unix.SIGSTOP); err != nil {
			return nil, err
		}
		if err := awaitStopped(cmd.Process.Pid); err != nil {
			return nil, err
		}
	}
	before = heard.soFar()
	err = d.cut(d)
	_ = cmd.Process.Kill() // it may have ended by itself, as its calls fail
	return before, err
}

// awaitStopped waits until no thread of a process runs any more: the signal alone is
// only on its way.
func awaitStopped(pid int) error {
	for end := time.Now().Add(lab.Patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		stopped, err := isStopped(pid)
		if stopped || err != nil {
			return err
		}
	}
	return fmt.Errorf("process %d does not stop", pid)
}

func isStopped(pid int) (bool, error) {
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		return false, err
	}
	for _, task := range tasks {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/stat", pid, task.Name()))
		if err != nil {
			return false, err
		}
		if !strings.Contains(string(b), ") T ") {
			return false, nil
		}
	}
	return true, nil
}

// listener has the lines that somebody said.
type listener struct {
	mu    sync.Mutex
	lines []string
	done  sync.WaitGroup
}

func listen(from io.Reader) *listener {
	l := &listener{}
	l.done.Go(func() {
		for s := bufio.NewScanner(from); s.Scan(); {
			l.mu.Lock()
			l.lines = append(l.lines, s.Text())
			l.mu.Unlock()
		}
	})
	return l
}

func (l *listener) soFar() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.lines)
}

// all waits for the end.
func (l *listener) all() []string {
	l.done.Wait()
	return l.soFar()
}

// judge judges what came back, and takes care of it.
func (u *users) judge(ctx context.Context) []string { return lab.JudgeAndCare(ctx, u.store, u.history) }
