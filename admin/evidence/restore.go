package evidence

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"holdfast/internal/gitwork"
)

// RestoreOptions say how to restore.
type RestoreOptions struct {
	// Trust installs hooks and configuration as they were: from then on git runs what they name.
	Trust    bool
	Progress func(Progress) // called from one goroutine at a time; may be nil
}

// Restored is what a restore made and proved.
type Restored struct {
	From     string           `json:"from"`
	Manifest string           `json:"manifest"` // SHA-256 of the manifest that was verified
	Tracker  *string          `json:"tracker"`  // where the tracker's copy is, which is not moved; nil if there is none
	Git      gitwork.Restored `json:"git"`
}

// Restore verifies a snapshot and rebuilds its repository as the new directory into, which must not exist or be empty.
// Evidence that is not what its manifest says is refused with a [*DiffersError]. What was restored is compared with the evidence before it gets its name; see [gitwork.Restore].
func Restore(ctx context.Context, dir, into string, o RestoreOptions) (*Restored, error) {
	v, err := Verify(ctx, dir, o.Progress)
	if err != nil {
		return nil, err
	}
	if len(v.Differences) > 0 {
		return nil, &DiffersError{*v}
	}
	if _, err := os.Lstat(filepath.Join(v.Dir, "git")); errors.Is(err, fs.ErrNotExist) {
		return nil, &Error{Kind: ErrNothing, Path: v.Dir, Err: errors.New("the snapshot has no repository"),
			Next: "README.txt in it says what it has; a tracker is in tracker/db.sqlite"}
	}
	if inside, err := filepath.Rel(v.Dir, resolvedAbove(absolute(into))); err == nil && filepath.IsLocal(inside) {
		return nil, badTarget(into, errors.New("it lies inside the snapshot"), "name a new directory outside it with --into")
	}
	git, err := gitwork.FindGit(ctx)
	if err != nil {
		return nil, err
	}
	restored, err := gitwork.Restore(ctx, git, v.Dir, into, gitwork.RestoreOptions{
		Trust: o.Trust, Progress: func(p gitwork.Progress) { tell(o.Progress, Progress(p)) },
	})
	if err != nil {
		return nil, explainRestore(into, err)
	}
	return &Restored{From: v.Dir, Manifest: v.Manifest, Tracker: trackerIn(v.Dir), Git: *restored}, nil
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// explainRestore explains an error of the system about the new directory.
func explainRestore(into string, err error) error {
	var known *gitwork.Error
	var system *os.PathError
	if errors.As(err, &known) || !errors.As(err, &system) {
		return err
	}
	return badTarget(into, err, "name a new directory, on a file system with space, with --into")
}

func trackerIn(dir string) *string {
	for _, name := range []string{"db.sqlite", "raw/db"} {
		path := filepath.Join(dir, "tracker", filepath.FromSlash(name))
		if _, err := os.Lstat(path); err == nil {
			return &path
		}
	}
	return nil
}
