package preempt

import (
	"context"
	"fmt"
	"os"
	"slices"

	"holdfast/internal/reliability/check"
	"holdfast/internal/reliability/lab"
	"holdfast/ownership"
)

// ofLivingOwner is every schedule of a forced recovery from an owner who lives, and then
// releases or dies, on a store on which nobody owns the session before.
func ofLivingOwner(ctx context.Context, s *lab.Scene, below string) (all []schedules, err error) {
	run, err := s.Fresh(below, 0)
	if err != nil {
		return nil, err
	}
	defer run.Remove()
	h := check.History{}
	o, err := startOwner(ctx, run.Dir, h)
	if err != nil {
		return nil, err
	}
	stops, err := stopsOf(ctx, s.Recovering(o.revision), run)
	if wrong := o.end(release, run.Dir, h, true); err == nil && len(wrong) > 0 {
		err = fmt.Errorf("%s: %v", s.Name, wrong)
	}
	for _, at := range stops {
		for _, other := range []string{release, die} {
			all = append(all, schedules{s, []stop{at}, other, true})
		}
	}
	return all, err
}

// judgeRecovery holds that who lives until it releases is never recovered from (I7), and
// notes what a recovery was told.
func (s schedules) judgeRecovery(run lab.Run, told *check.Session) (wrong []string) {
	refused := []int{75, 78, 79}
	if s.other == die {
		refused = []int{75, 80}
	}
	switch {
	case run.Exit == 0 && s.other == die:
		b, err := os.ReadFile(recordPath(run.Dir))
		if err != nil {
			return []string{err.Error()}
		}
		told.Told = append(told.Told, ownership.RevisionOf(b))
	case !slices.Contains(refused, run.Exit):
		wrong = append(wrong, fmt.Sprintf("the recovery from a living owner exits with %d (I7): %s", run.Exit, run.Said))
	}
	return wrong
}
