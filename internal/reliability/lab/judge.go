package lab

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"holdfast/internal/reliability/check"
	"holdfast/ownership"
)

// Outcome is what the user of a workload saw.
type Outcome struct {
	Exit int    // its exit code, or -1 if it was killed
	Told string // the file in which an owned command noted its revision
	Said string // on standard error
}

// Judge says what is wrong with a store on which a workload was run, perhaps not to
// its end, and takes care of it. The store is changed.
func (s *Scene) Judge(ctx context.Context, dir string, o Outcome) (wrong []string) {
	h := s.History.Clone()
	told := h.Of(Digest)
	told.Unanswered += s.Publishes
	if revision, ok := o.Revision(); ok {
		told.Told = append(told.Told, revision)
		told.Unanswered--
	}
	wrong = append(wrong, s.honest(dir, o)...)
	return append(wrong, JudgeAndCare(ctx, dir, h)...)
}

// JudgeAndCare says what is wrong with a store before and after its aftercare.
func JudgeAndCare(ctx context.Context, dir string, h check.History) (wrong []string) {
	// What was moved there is still history.
	if err := readArchive(ctx, dir, h); err != nil {
		wrong = append(wrong, err.Error())
	}
	wrong = append(wrong, inWords(check.Store(dir, h))...)
	if err := (Aftercare{Dir: dir, History: h}).Do(ctx); err != nil {
		wrong = append(wrong, err.Error())
	}
	return append(wrong, inWords(check.Store(dir, h))...)
}

func inWords(found []check.Violation) (words []string) {
	for _, v := range found {
		words = append(words, v.String())
	}
	return words
}

// Revision returns the revision that an owned command noted.
func (o Outcome) Revision() (ownership.Revision, bool) {
	b, err := os.ReadFile(o.Told)
	if err != nil {
		return ownership.Revision{}, false
	}
	r, err := ownership.ParseRevision(strings.TrimSpace(string(b)))
	return r, err == nil
}

// definite are the exit codes that promise that nothing was changed (I9).
var definite = []int{64, 65, 69, 74, 75, 76, 77, 78, 79, 80}

// honest compares an exit code with what is on disk.
func (s *Scene) honest(dir string, o Outcome) (wrong []string) {
	_, ran := o.Revision()
	switch {
	case o.Exit == 0 && !s.hasEnded(dir):
		wrong = append(wrong, fmt.Sprintf("exits with 0, and the session is not %s (I9)", s.ends))
	case slices.Contains(definite, o.Exit) && !ran && !s.isUnchanged(dir):
		wrong = append(wrong, fmt.Sprintf("exits with %d, and the record was changed (I9): %s", o.Exit, o.Said))
	case o.Exit == 1 || o.Exit == 2:
		wrong = append(wrong, fmt.Sprintf("exits with %d: %s", o.Exit, o.Said))
	}
	return wrong
}

// Undelivered says what is wrong with the exit code of a run whose answer could not be
// written (I9): 82 where a record was published, 74 where nothing was, and either where
// the workload changes something else.
func (s *Scene) Undelivered(r Run) (wrong []string) {
	honest := []int{74, 82}
	switch {
	case !s.isUnchanged(r.Dir):
		honest = []int{82}
	case s.reads:
		honest = []int{74}
	}
	if !slices.Contains(honest, r.Exit) {
		wrong = append(wrong, fmt.Sprintf("exits with %d, not one of %v, and nobody got the answer (I9): %s", r.Exit, honest, r.Said))
	}
	return wrong
}

// hasEnded reports whether the record says what it must after success.
func (s *Scene) hasEnded(dir string) bool {
	if s.ends == unchanged {
		return s.isUnchanged(dir)
	}
	b, err := os.ReadFile(filepath.Join(dir, "sessions", Digest.String(), "record.json"))
	if err != nil {
		return false
	}
	r, err := ownership.Decode(b)
	if err != nil || r.Release == nil {
		return false
	}
	if s.ends == released {
		return *r.Release == ownership.ReleaseAcknowledged
	}
	return *r.Release == ownership.ReleaseForced && *r.PreviousRevision == s.Expect
}

// ToldBy returns what was known to be in force at each step of a run that succeeded: the
// owned command was started with step started, and the answer came with the last one.
func (s *Scene) ToldBy(r Run, started, last int) (func(at int) check.History, error) {
	if r.Exit != 0 && s.ends != unchanged {
		return nil, fmt.Errorf("%s exits with %d: %s", s.Name, r.Exit, r.Said)
	}
	b, err := os.ReadFile(filepath.Join(r.Dir, "sessions", Digest.String(), "record.json"))
	if err != nil {
		return nil, err
	}
	acquired, owned := r.Revision()
	return func(at int) check.History {
		h := s.History.Clone()
		told := h.Of(Digest)
		told.Unanswered += s.Publishes
		if owned && at >= started {
			told.Told = append(told.Told, acquired)
		}
		if at == last && s.ends != unchanged && ownership.RevisionOf(b) != told.Last() {
			told.Damaged = false
			told.Told = append(told.Told, ownership.RevisionOf(b))
		}
		return h
	}, nil
}
