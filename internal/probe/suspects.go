package probe

import (
	"context"
	"fmt"
	"os"
	"slices"

	"holdfast/internal/procid"
	"holdfast/ownership"
)

// Suspect is a process that may belong to an owner, and why. It proves nothing.
type Suspect struct {
	ownership.Process
	Why string `json:"why"`
}

// Suspects lists the processes in the process group of a record's owner and those that
// work inside its worktree, in the order of their pids, without the caller itself. With
// an error the list may be incomplete.
func Suspects(ctx context.Context, r ownership.Record) ([]Suspect, error) {
	return SuspectsSince(ctx, r, scanner.Now())
}

// Now returns a moment for [SuspectsSince].
func Now() procid.Moment { return scanner.Now() }

// SuspectsSince is [Suspects] by any look that began after a moment, such as that of a
// probe of the record: whoever asks after each of many probes needs no look of its own.
func SuspectsSince(ctx context.Context, r ownership.Record, m procid.Moment) ([]Suspect, error) {
	scan, err := scanner.Since(ctx, m)
	if err != nil {
		return nil, err
	}
	var s suspicion
	if r.Owner != nil {
		s.add(group(scan, *r.Owner), fmt.Sprintf("is in process group %d, which was the owner's", r.Owner.PID))
	}
	if w := r.Session.Worktree; w != nil {
		s.add(scan.WorkingIn(*w), fmt.Sprintf("works in %q", *w))
	}
	slices.SortFunc(s.found, func(a, b Suspect) int { return a.PID - b.PID })
	if scan.Hidden {
		return s.found, procid.ErrHidden
	}
	return s.found, scan.Incomplete
}

// group lists the group that the owner led, if it led one. The kernel keeps a number
// back while a group has it, so a later process of that number leads a later group.
func group(scan *procid.Scan, o ownership.Owner) []procid.Process {
	here := procid.ThisHost()
	if !same(o.BootID, here.BootID) || !same(o.PIDNamespace, here.PIDNamespace) || o.StartTicks == nil {
		return nil
	}
	members := scan.Group(o.PID)
	for _, p := range members {
		if p.PID == o.PID && p.StartTicks != *o.StartTicks {
			return nil
		}
	}
	return members
}

func same[T comparable](a, b *T) bool { return a != nil && b != nil && *a == *b }

// suspicion lists each process once, with all that speaks for it.
type suspicion struct{ found []Suspect }

func (s *suspicion) add(processes []procid.Process, why string) {
	for _, p := range processes {
		if p.PID == os.Getpid() {
			continue
		}
		who := ownership.Process{PID: p.PID, StartTicks: p.StartTicks, Program: p.Program}
		i := slices.IndexFunc(s.found, func(f Suspect) bool { return f.Process == who })
		if i < 0 {
			s.found = append(s.found, Suspect{who, why})
			continue
		}
		s.found[i].Why += ", and " + why
	}
}
