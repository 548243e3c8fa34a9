package evidence

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"holdfast/internal/gitwork"
	"holdfast/lease"
	"holdfast/ownership"
)

// Options say what to keep, and where.
type Options struct {
	Out            string // the snapshot's directory, new or empty; "" is a new one below Below
	Below          string // absolute, made where it is missing; "" is DefaultParent
	Worktree       string // the top of a git working tree; "" is the one that the record names
	Tracker        string // an SQLite database; likewise
	Transcript     string // likewise
	IncludeIgnored bool   // keep what git ignores too
	Accept         Acceptance
	Progress       func(Progress) // called from one goroutine at a time; may be nil
}

// Take makes a snapshot of the session that was inspected in a store, and returns it once it is durable. Findings are no
// error. Errors leave nothing behind, but for one that says so; they are [*Error], *gitwork.Error or *sqlitecopy.Error
// where a person can do something about them, and the cause of ctx when that ended. The inspection should name the
// holders of locks.
func Take(ctx context.Context, s lease.Store, i lease.Inspection, o Options) (*Taken, error) {
	t := &taking{store: s, inspection: i, options: o, snapshot: newSnapshot(i)}
	if err := t.choose(ctx); err != nil {
		return nil, err
	}
	if err := t.choosePlace(); err != nil {
		return nil, err
	}
	if err := t.checkSpace(ctx); err != nil {
		return nil, err
	}
	aside, claim, err := t.place.aside()
	if err != nil {
		return nil, err
	}
	defer claim.Close() // that of no file does nothing
	t.aside = aside
	taken, err := t.build(ctx)
	if err != nil {
		return nil, errors.Join(err, discard(t.aside))
	}
	if t.options.Accept&AcceptMissing == 0 {
		t.place.sweep()
	}
	tell(o.Progress, Progress{Step: stepDone})
	return taken, nil
}

// discard removes what was built. After a failure past the rename there is nothing under that name.
func discard(aside string) error { return os.RemoveAll(aside) }

func newSnapshot(i lease.Inspection) Snapshot {
	s := Snapshot{
		TakenAt: ownership.At(time.Now()), Key: i.Key, KeyDigest: i.KeyDigest, State: i.State, Revision: i.Revision, Class: i.Class,
		Moved: []Moved{}, OutOfScope: []Omission{}, Notes: []string{},
	}
	if i.Record != nil {
		s.Generation = &i.Record.Generation
	}
	return s
}

// taking is one call of Take.
type taking struct {
	store      lease.Store
	inspection lease.Inspection
	options    Options

	repository *gitwork.Repository // nil: no worktree
	git        gitwork.Git
	tracker    string // "": none
	transcript string // likewise

	place    place
	aside    string // where it is built
	entries  []entry
	snapshot Snapshot
	findings []string
}

// choosePlace finds the place, and makes what lies above the default one only after every check of it.
func (t *taking) choosePlace() error {
	at := t.snapshot.TakenAt.Time().Format("20060102T150405.000Z")
	p, err := findPlace(t.options, at, nameEnd(t.snapshot.KeyDigest))
	if err != nil {
		return err
	}
	if err := p.outside(t.store.Identity(), "store"); err != nil {
		return err
	}
	if r := t.repository; r != nil {
		for dir, what := range map[string]string{r.Worktree: "worktree", r.GitDir: "git directory", r.CommonDir: "git directory"} {
			if err := p.outside(dir, what); err != nil {
				return err
			}
		}
	}
	t.place = p
	return t.place.prepare()
}

// build fills the directory and gives it its name. What changes by itself is read first; the manifest comes last.
func (t *taking) build(ctx context.Context) (*Taken, error) {
	for _, part := range []func(context.Context) error{
		t.keepSession, t.keepTranscript, t.keepSources, t.lookAgain, t.describe,
	} {
		if err := part(ctx); err != nil {
			return nil, err
		}
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
	}
	tell(t.options.Progress, Progress{Step: stepSeal})
	sum, err := t.writeManifest()
	if err != nil {
		return nil, err
	}
	tell(t.options.Progress, Progress{Step: stepName})
	if t.place, err = t.place.settle(t.aside); err != nil {
		return nil, err
	}
	return t.taken(sum), nil
}

func (t *taking) taken(sum string) *Taken {
	taken := &Taken{Dir: t.place.dir(), Manifest: sum, Files: len(t.entries), Snapshot: t.snapshot, Findings: append([]string{}, t.findings...)}
	for _, e := range t.entries {
		taken.Bytes += e.size
	}
	return taken
}

// lookAgain notes what changed beside what the parts noticed themselves.
func (t *taking) lookAgain(ctx context.Context) error {
	tell(t.options.Progress, Progress{Step: stepAgain})
	t.lookAtTranscriptAgain()
	stored, err := t.store.Load(ctx, t.inspection.KeyDigest)
	switch {
	case err != nil:
		t.note("record", "it could not be read again: "+err.Error())
	case stored.Revision != t.inspection.Stored.Revision:
		t.snapshot.Moved = append(t.snapshot.Moved, Moved{"record.json", "the session's record was replaced"})
	}
	for _, m := range t.snapshot.Moved {
		t.findings = append(t.findings, "moved while it was read: "+m.Path+" ("+m.What+")")
	}
	return nil
}

func (t *taking) describe(context.Context) error {
	if err := t.writeJSON(snapshotName, t.snapshot); err != nil {
		return err
	}
	return t.write("README.txt", []byte(readme(t.snapshot)))
}

func (t *taking) note(subject, what string) {
	t.snapshot.Notes = append(t.snapshot.Notes, about(subject, what))
}

func about(subject, what string) string { return filepath.Clean(subject) + ": " + what }
