package powerloss

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"holdfast/internal/reliability/actor"
	"holdfast/internal/reliability/check"
	"holdfast/internal/reliability/lab"
	"holdfast/ownership"
)

// carer is the role of a process whose calls are recorded while it takes care of
// stores, one after the other.
const carer = "carer"

func init() { actor.Register(carer, care) }

// mark is where a carer looks for a file that never is there, to leave a mark in the
// log.
const mark = "/holdfast-mark/"

func leaveMark(what string) {
	fd, err := syscall.Open(mark+what, syscall.O_RDONLY, 0)
	if err == nil {
		syscall.Close(fd)
	}
}

// care reads directories from standard input and takes care of the store in each.
// Before one that may be damaged stands an exclamation mark.
func care() int {
	code := 0
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		dir, damaged := strings.CutPrefix(lines.Text(), "!")
		h := check.History{lab.Digest: {Damaged: damaged}}
		leaveMark("begin")
		err := lab.Aftercare{
			Dir: filepath.Join(dir, "store"), History: h,
			Tell: func(r ownership.Revision) { leaveMark("told/" + r.String()) },
		}.Do(context.Background())
		leaveMark("end")
		if err != nil {
			fmt.Fprintln(os.Stderr, dir+":", err)
			code = 1
		}
	}
	return code
}

// recordCare has a carer take care of stores below a directory and returns the steps of
// each.
func recordCare(ctx context.Context, below string, dirs []string) ([][]step, error) {
	ctx, stop := context.WithTimeout(ctx, 10*lab.Patience)
	defer stop()
	logs, err := os.MkdirTemp(below, "logs-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(logs)
	log := filepath.Join(logs, "strace")
	cmd := actor.Role(ctx, append([]string{"strace", "-qq"}, tracing(log)...), carer)
	cmd.Stdin = strings.NewReader(strings.Join(dirs, "\n") + "\n")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("care: %w: %s", err, out)
	}
	steps, err := readSteps(log, below)
	if err != nil {
		return nil, fmt.Errorf("care: %w", err)
	}
	var each [][]step
	for _, s := range steps {
		switch what, _ := s.marked(); {
		case what == "begin":
			each = append(each, nil)
		case len(each) > 0:
			each[len(each)-1] = append(each[len(each)-1], s)
		}
	}
	if len(each) != len(dirs) {
		return nil, fmt.Errorf("%d stores were taken care of, and %d are in the log", len(dirs), len(each))
	}
	return each, nil
}

// marked returns what a mark says.
func (s step) marked() (string, bool) {
	if s.name != "openat" || len(s.words) == 0 {
		return "", false
	}
	return strings.CutPrefix(s.words[0], mark)
}

// tells returns the revision that was told with this step.
func (s step) tells() (r ownership.Revision, ok bool) {
	what, ok := s.marked()
	if !ok {
		return r, false
	}
	hex, ok := strings.CutPrefix(what, "told/")
	if !ok {
		return r, false
	}
	r, err := ownership.ParseRevision(hex)
	return r, err == nil
}
