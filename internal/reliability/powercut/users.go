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
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"holdfast/internal/reliability/actor"
	"holdfast/internal/reliability/check"
	"holdfast/internal/reliability/lab"
	"holdfast/lease"
	"holdfast/lease/dirstore"
	"holdfast/ownership"
)

// worker is the role of a process that takes and releases a session without end, and
// says on standard output what it was told.
const worker = "powercut-worker"

func init() { actor.Register(worker, work) }

func work() int {
	s, err := dirstore.Open(os.Args[1], dirstore.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	key, err := ownership.ParseKey(lab.Key)
	for err == nil {
		err = cycle(s, key)
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

func cycle(s *dirstore.Store, key ownership.Key) error {
	ctx := context.Background()
	l, err := lease.Acquire(ctx, s, key, lease.Owner{Kin: true})
	if err != nil {
		return err
	}
	fmt.Println(l.Revision())
	note := l.Revision().String()
	if err := l.Describe(ctx, ownership.Facts{Resume: &note}); err != nil {
		return err
	}
	fmt.Println(l.Revision())
	if err := l.Release(ctx); err != nil {
		return err
	}
	fmt.Println(l.Revision())
	return nil
}

// users are who used a store, and what they were told.
type users struct {
	report  *lab.Report
	store   string
	history check.History
}

func newUsers(r *lab.Report, store string) *users { return &users{r, store, check.History{}} }

// workUntil has a worker at work until the power fails, at a moment that chance
// decides.
func (u *users) workUntil(ctx context.Context, chance *rand.Rand, d *disk) error {
	cmd := actor.Role(ctx, nil, worker, u.store)
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
	session := u.history.Of(lab.Digest)
	for _, line := range before {
		r, err := ownership.ParseRevision(line)
		if err != nil {
			return fmt.Errorf("the worker says %q: %s", line, said.String())
		}
		session.Told = append(session.Told, r)
	}
	u.report.Count("records told of before a cut", len(before))
	session.Unanswered += 1 + len(after) - len(before)
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
