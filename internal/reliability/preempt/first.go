package preempt

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"holdfast/internal/cli"
	"holdfast/internal/reliability/actor"
	"holdfast/internal/reliability/lab"
)

// firstOne is the role of the process that is stopped: the real command, which lets
// itself be traced before it begins.
const firstOne = "first"

func init() { actor.Register(firstOne, beFirst) }

func beFirst() int {
	if err := allowTracing(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return cli.Main(os.Args)
}

// call is a call that was made, by its number, and the path that it is about.
type call struct {
	number uint64
	about  string
}

// stop is a call that the first one stops after: the nth of its kind that has to do with
// the store. Others are not counted: how much there is to read in /proc changes.
type stop struct {
	name   string
	number uint64
	n      int
}

func (s stop) String() string { return fmt.Sprintf("%s#%d", s.name, s.n) }

// stopsOf runs the workload once and returns its calls that have to do with the store.
func stopsOf(ctx context.Context, s *lab.Scene, run lab.Run) (all []stop, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	f, err := start(ctx, s, &run)
	if err != nil {
		return nil, err
	}
	for {
		made, more, err := f.next()
		if err != nil || !more {
			return all, f.finish(&run, err)
		}
		if name := calls[made.number]; f.counts(made) && name != "" {
			all = append(all, stop{name, made.number, f.count[made.number]})
		}
	}
}

// first is the process that is stopped.
type first struct {
	*traced
	below string // whatever is there has to do with the store
	said  *os.File
	count map[uint64]int
}

// counts counts a call if it has to do with the store.
func (f *first) counts(c call) bool {
	if !strings.HasPrefix(c.about, f.below) {
		return false
	}
	f.count[c.number]++
	return true
}

func start(ctx context.Context, s *lab.Scene, run *lab.Run) (*first, error) {
	below := filepath.Dir(run.Dir)
	said, err := os.Create(filepath.Join(below, "said"))
	if err != nil {
		return nil, err
	}
	cmd := actor.As(ctx, firstOne, nil, run.Dir, s.Args(run.Told)...)
	v, err := trace(cmd, said)
	return &first{v, below, said, map[uint64]int{}}, err
}

// goTo goes on until the stop. It returns false if the process ended before.
func (f *first) goTo(at stop) (there bool, err error) {
	for {
		made, more, err := f.next()
		if err != nil || !more {
			return false, err
		}
		if f.counts(made) && made.number == at.number && f.count[made.number] == at.n {
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
