package evidence

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"

	"holdfast/internal/sqlitecopy"
)

// keepSources writes git/, nested/ and tracker/. What is left to do for a tracker once it has been read is done beside
// the worktree: SQLite takes one processor and waits for the disk, and so does git most of the time. The first failure
// ends both.
func (t *taking) keepSources(ctx context.Context) error {
	reading, err := t.readTracker(ctx)
	if err != nil {
		return err
	}
	if reading == nil {
		return t.keepWorktree(ctx)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	rest := beginFinish(ctx, cancel, reading)
	if err := t.keepWorktree(ctx); err != nil {
		cancel(err)
	}
	if taken := rest.wait(t.options.Progress); context.Cause(ctx) == nil {
		t.keepTracker(taken)
	}
	return context.Cause(ctx)
}

// readTracker makes the raw copy; nil where there is no tracker.
func (t *taking) readTracker(ctx context.Context) (*sqlitecopy.Reading, error) {
	if t.tracker == "" {
		return nil, nil
	}
	dir := t.path("tracker")
	if err := os.Mkdir(dir, dirMode); err != nil {
		return nil, unwritable(dir, err)
	}
	return sqlitecopy.ReadSource(ctx, t.tracker, dir, sqlitecopy.Options{
		Accept:   sqlitecopy.Anything, // without a database there is a finding, and the raw copy
		Progress: func(p sqlitecopy.Progress) { tell(t.options.Progress, Progress(p)) },
	})
}

// finishing is the second part of a tracker's copy, in a goroutine.
type finishing struct {
	taken *sqlitecopy.Taken // once done is closed
	done  chan struct{}

	mu   sync.Mutex
	now  Progress
	tell func(Progress) // nil as long as something else tells how far it is
}

func beginFinish(ctx context.Context, cancel context.CancelCauseFunc, r *sqlitecopy.Reading) *finishing {
	f := &finishing{done: make(chan struct{}), now: Progress{Step: stepTracker}}
	go func() {
		defer close(f.done)
		var err error
		if f.taken, err = r.Finish(ctx, f.progress); err != nil {
			cancel(err)
		}
	}()
	return f
}

// progress calls everything one step: which of them was still to come when the worktree was done is chance.
func (f *finishing) progress(p sqlitecopy.Progress) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now.Done, f.now.Total = p.Done, p.Total
	tell(f.tell, f.now)
}

// wait returns when it has ended, and until then tells how far it is.
func (f *finishing) wait(progress func(Progress)) *sqlitecopy.Taken {
	f.mu.Lock()
	f.tell = progress
	tell(progress, f.now)
	f.mu.Unlock()
	<-f.done
	return f.taken
}

// keepTracker notes what was kept of a tracker.
func (t *taking) keepTracker(taken *sqlitecopy.Taken) {
	for _, a := range taken.Artefacts {
		t.entries = append(t.entries, entry{"tracker/" + a.Name, a.Size, a.SHA256})
	}
	taken.Artefacts = nil
	t.snapshot.addTracker(taken)
	t.judgeTracker(taken)
}

func (t *taking) judgeTracker(taken *sqlitecopy.Taken) {
	switch {
	case taken.Integrity == sqlitecopy.NotDatabase && t.options.Accept&AcceptNotDatabase == 0:
		t.findings = append(t.findings, "not a database, kept as raw bytes only: "+taken.Source+
			" (if it is encrypted, or not meant for SQLite, accept that with --accept not-a-database)")
	case taken.Integrity == sqlitecopy.Damaged && t.options.Accept&AcceptDamage == 0:
		t.findings = append(t.findings, fmt.Sprintf("damaged, kept as it is: %s: %.120s (tracker/integrity.txt says all; accept it as it is with --accept damage)",
			taken.Source, strings.Join(taken.Before.Lines, "; ")))
	}
}
