package evidence

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"holdfast/internal/gitwork"
	"holdfast/internal/plainfile"
	"holdfast/internal/sqlitecopy"
	"holdfast/ownership"
)

// choose decides which sources are kept, and looks at each before anything is written.
func (t *taking) choose(ctx context.Context) error {
	named := t.named()
	if t.inspection.State == ownership.StateVacant && named == (ownership.Session{}) {
		return &Error{Kind: ErrNothing, Path: *cmp.Or(t.inspection.Key, new(t.inspection.KeyDigest.String())), Err: errors.New("nobody ever acquired this session, and no worktree, tracker or transcript is named"),
			Next: "check the key, or name what to keep with --worktree, --tracker or --transcript"}
	}
	if err := t.chooseWorktree(ctx, named.Worktree); err != nil {
		return err
	}
	if err := t.chooseTracker(named.Tracker); err != nil {
		return err
	}
	return t.chooseTranscript(named.Transcript)
}

// named returns the paths that the options name, else the record.
func (t *taking) named() (s ownership.Session) {
	if r := t.inspection.Record; r != nil {
		s.Worktree, s.Tracker, s.Transcript = r.Session.Worktree, r.Session.Tracker, r.Session.Transcript
	}
	o := &t.options
	for _, choice := range []struct {
		from string
		to   **string
	}{{o.Worktree, &s.Worktree}, {o.Tracker, &s.Tracker}, {o.Transcript, &s.Transcript}} {
		if choice.from != "" {
			*choice.to = &choice.from
		}
	}
	return s
}

func (t *taking) chooseWorktree(ctx context.Context, named *string) error {
	if named == nil {
		return nil
	}
	r, err := gitwork.Locate(*named)
	if err != nil {
		return t.without("worktree", *named, err, gitwork.ErrNotRepository)
	}
	if t.git, err = gitwork.FindGit(ctx); err != nil {
		return err
	}
	t.repository = &r
	return nil
}

func (t *taking) chooseTracker(named *string) error {
	if named == nil {
		return nil
	}
	if _, err := sqlitecopy.Size(*named); err != nil {
		return t.without("tracker", *named, err, sqlitecopy.ErrMissing, sqlitecopy.ErrNotRegular)
	}
	t.tracker = *named
	return nil
}

// without goes on without a source that is missing or something else, if that was accepted.
func (t *taking) without(what, path string, err error, acceptable ...error) error {
	for _, kind := range acceptable {
		if !errors.Is(err, kind) {
			continue
		}
		if t.options.Accept&AcceptMissing == 0 {
			return &Error{Kind: ErrSource, Err: err, Next: fmt.Sprintf("%s; or go on without this %s: --accept missing", nextStep(err), what)}
		}
		t.omit(what, path, err)
		return nil
	}
	return err
}

func (t *taking) omit(what, path string, err error) {
	t.snapshot.OutOfScope = append(t.snapshot.OutOfScope, Omission{What: what, Why: err.Error(), Count: 1, Example: path})
}

// chooseTranscript goes on without a transcript that only the record names: it can have been moved for good reasons.
func (t *taking) chooseTranscript(named *string) error {
	if named == nil {
		return nil
	}
	f, err := plainfile.Open(*named)
	if err == nil {
		t.transcript = *named
		return f.Close()
	}
	if t.options.Transcript == "" || t.options.Accept&AcceptMissing != 0 {
		t.omit("transcript", *named, err)
		return nil
	}
	next := "name the transcript's own path with --transcript, or leave it out"
	if errors.Is(err, fs.ErrPermission) {
		next = "run the command as the owner of that file, or make it readable for this user"
	}
	return &Error{Kind: ErrSource, Path: *named, Err: err, Next: next}
}
