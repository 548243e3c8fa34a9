package preempt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"holdfast/internal/cli"
	"holdfast/internal/reliability/actor"
	"holdfast/internal/reliability/lab"
)

// firstOne is the role of the process that is stopped: the real command, which leaves a
// mark in a log of its calls, or lets itself be traced, before it begins.
const firstOne = "first"

// tracing is the variable that has it traced.
const tracing = "HOLDFAST_RELIABILITY_TRACED"

// mark is a file that never is there.
const mark = "/holdfast-mark/begin"

func init() { actor.Register(firstOne, beFirst) }

func beFirst() int {
	var err error
	if os.Getenv(tracing) != "" {
		err = allowTracing()
	} else if _, missing := os.Stat(mark); missing == nil {
		err = errors.New(mark + " is there")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return cli.Main(os.Args)
}

// stop is a call that the first one stops after: the nth of its kind since the mark.
type stop struct {
	name   string
	number uint64
	n      int
}

func (s stop) String() string { return fmt.Sprintf("%s#%d", s.name, s.n) }

var aCall = regexp.MustCompile(`^\[ *(\d+)\] (\w+)\(`)

// stopsOf runs the workload once and returns its calls that have to do with the store.
func stopsOf(ctx context.Context, s *lab.Scene, run lab.Run) (all []stop, err error) {
	log := filepath.Join(filepath.Dir(run.Dir), "strace")
	strace := []string{"strace", "-qq", "-n", "-y", "-o", log, "-e", "trace=" + strings.Join(lab.Calls, ",")}
	cmd := actor.As(ctx, firstOne, strace, run.Dir, s.Args(run.Told)...)
	var exit *exec.ExitError
	if out, err := cmd.CombinedOutput(); err != nil && !errors.As(err, &exit) {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	b, err := os.ReadFile(log)
	if err != nil {
		return nil, err
	}
	_, calls, marked := strings.Cut(string(b), mark)
	if !marked {
		return nil, fmt.Errorf("no mark is in the log of %q: %s", s.Name, b)
	}
	return stopsIn(calls)
}

// private are calls that change nothing and show nothing that another process can
// change: to stop after one is to stop before it.
var private = []string{"fcntl", "lseek", "mmap"}

func stopsIn(log string) (all []stop, err error) {
	count := map[string]int{}
	for line := range strings.Lines(log) {
		m := aCall.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		number, err := strconv.ParseUint(m[1], 10, 64)
		if err != nil {
			return nil, err
		}
		count[m[2]]++
		if strings.Contains(line, "/store") && !slices.Contains(private, m[2]) {
			all = append(all, stop{m[2], number, count[m[2]]})
		}
	}
	return all, nil
}

// first is the process that is stopped.
type first struct {
	*traced
	said  *os.File
	count map[uint64]int
}

func start(ctx context.Context, s *lab.Scene, run *lab.Run) (*first, error) {
	said, err := os.Create(filepath.Join(filepath.Dir(run.Dir), "said"))
	if err != nil {
		return nil, err
	}
	cmd := actor.As(ctx, firstOne, nil, run.Dir, s.Args(run.Told)...)
	cmd.Env = append(cmd.Env, tracing+"=1")
	v, err := trace(cmd, said)
	return &first{v, said, map[uint64]int{}}, err
}

// goTo goes on until the stop. It returns false if the process ended before.
func (f *first) goTo(at stop) (there bool, err error) {
	for {
		number, more, err := f.next()
		if err != nil || !more {
			return false, err
		}
		if f.count[number]++; number == at.number && f.count[number] == at.n {
			return true, nil
		}
	}
}

// finish lets the process go on to its end, unless something went wrong with it.
func (f *first) finish(run *lab.Run, wrong error) error {
	defer f.said.Close()
	if wrong != nil {
		return f.end(wrong)
	}
	if !f.ended() {
		if err := f.goOn(); err != nil {
			return err
		}
	}
	b, err := os.ReadFile(f.said.Name())
	run.Exit, run.Said = f.exit(), string(b)
	return err
}
