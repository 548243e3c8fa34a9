package admin

import (
	"context"
	"fmt"

	"holdfast/admin/evidence"
	"holdfast/internal/gitwork"
	"holdfast/internal/sqlitecopy"
	"holdfast/lease"
	"holdfast/ownership"
)

// Work is something of value that the record names.
type Work struct {
	Kind   string        `json:"kind"` // kindWorktree or kindTracker
	Path   string        `json:"path"`
	Detail string        `json:"detail"` // the counts in words, or why there are none
	Counts *gitwork.Risk `json:"counts"` // nil for a tracker, and for a worktree that could not be looked into
}

// The kinds of work.
const (
	kindWorktree = "worktree"
	kindTracker  = "tracker"
)

// workAtRisk looks into what the record names, and changes nothing in it. What cannot
// be looked into says why.
func workAtRisk(ctx context.Context, s ownership.Session) []Work {
	work := []Work{}
	if s.Worktree != nil {
		work = append(work, worktreeAtRisk(ctx, *s.Worktree))
	}
	if s.Tracker != nil {
		work = append(work, Work{Kind: kindTracker, Path: *s.Tracker, Detail: trackerAtRisk(*s.Tracker)})
	}
	return work
}

const notLookedInto = "could not be looked into: "

func worktreeAtRisk(ctx context.Context, dir string) Work {
	w := Work{Kind: kindWorktree, Path: dir}
	git, err := gitwork.FindGit(ctx)
	if err == nil {
		w.Counts, err = gitwork.Count(ctx, git, dir)
	}
	if err != nil {
		w.Detail = notLookedInto + err.Error()
		return w
	}
	w.Detail = w.Counts.String()
	return w
}

// trackerAtRisk does not open a database: what is in one cannot be told without.
func trackerAtRisk(path string) string {
	size, err := sqlitecopy.SourceSize(path)
	if err != nil {
		return notLookedInto + err.Error()
	}
	return fmt.Sprintf("a database of %d bytes", size)
}

// Planned says what a recovery would save first, and where.
type Planned struct {
	Saves []string `json:"saves"`
	Dir   *string  `json:"dir"`   // the snapshot; nil for a new one
	Below *string  `json:"below"` // where the new one would be
	Fault *string  `json:"fault"` // why it would fail, as far as that is plain; nil otherwise
}

// planned returns nil where nothing would be saved.
func (r Recovery) planned(i lease.Inspection) *Planned {
	if !r.saves(i) {
		return nil
	}
	p := &Planned{Saves: []string{}}
	if i.Record != nil {
		p.Saves = append(p.Saves, workIn(i.Record.Session)...)
		if err := evidence.Keepable(i.Record.Session); err != nil {
			why := err.Error()
			p.Fault = &why
		}
	}
	if r.Saving.Dir != "" {
		p.Dir = &r.Saving.Dir
		return p
	}
	if below, err := r.Saving.below(); err == nil {
		p.Below = &below
	}
	return p
}

func workIn(s ownership.Session) (named []string) {
	for _, path := range []*string{s.Worktree, s.Tracker} {
		if path != nil {
			named = append(named, *path)
		}
	}
	return named
}
