package evidence

import (
	"context"
	"errors"
	"os"

	"holdfast/internal/gitwork"
)

// keepWorktree writes git/ and nested/.
func (t *taking) keepWorktree(ctx context.Context) error {
	if t.repository == nil {
		return nil
	}
	captured, err := gitwork.Capture(ctx, t.git, t.repository.Worktree, t.aside, gitwork.CaptureOptions{
		IncludeIgnored: t.options.IncludeIgnored,
		Progress:       func(p gitwork.Progress) { tell(t.options.Progress, Progress(p)) },
	})
	if err != nil {
		return unwritableSystem(t.aside, err)
	}
	for _, a := range captured.Artefacts {
		t.entries = append(t.entries, entry{a.Name, a.Size, a.SHA256})
	}
	captured.Artefacts = nil // the manifest has them
	t.snapshot.addGit(captured)
	t.leaveOutIgnored(captured)
	return nil
}

func (t *taking) leaveOutIgnored(c *gitwork.Captured) {
	if n := c.Counts.Ignored; n > 0 && !t.options.IncludeIgnored {
		t.snapshot.OutOfScope = append(t.snapshot.OutOfScope, Omission{
			What: "ignored files", Why: "kept with --include-ignored only; git/ignored.txt names them", Count: n,
		})
	}
}

// unwritableSystem explains an error of the system, which in a capture is about the snapshot's side: those about the
// source are explained already.
func unwritableSystem(path string, err error) error {
	var known *gitwork.Error
	var system *os.PathError
	if errors.As(err, &known) || !errors.As(err, &system) {
		return err
	}
	return unwritable(path, err)
}
