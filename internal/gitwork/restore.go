package gitwork

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// RestoreOptions say how to restore.
type RestoreOptions struct {
	// Trust installs the configuration and the hooks as they were: from then on git runs what they name. Without it,
	// a restored repository has the settings that start nothing.
	Trust    bool
	Progress func(Progress) // called from one goroutine at a time; may be nil
}

// Restored is what a restore made and proved.
type Restored struct {
	Worktree string     `json:"worktree"`
	Files    int        `json:"files"` // compared by hash, mode and time; links and directories too
	Bytes    int64      `json:"bytes"`
	Refs     int        `json:"refs"`    // compared
	Indexed  int        `json:"indexed"` // lines of `ls-files -s` compared
	Notes    []string   `json:"notes"`
	Nested   []Restored `json:"nested"`
}

// Restore rebuilds, from the directory that Capture wrote into, the repository as the new directory into, and compares
// it with the evidence before it gives it that name: working tree, index, references, reflogs and operation state are
// as they were, byte for byte. It verifies the evidence first.
//
// A linked worktree or submodule is restored as a repository of its own. Into must not exist, or be empty; otherwise
// the error is of kind ErrTargetInUse. ErrEvidence and ErrRestoreDiffers leave nothing behind.
func Restore(ctx context.Context, git Git, from, into string, o RestoreOptions) (*Restored, error) {
	from, err := realDirectory(from)
	if err != nil {
		return nil, err
	}
	if into, err = filepath.Abs(into); err == nil {
		err = checkNew(into)
	}
	if err != nil {
		return nil, err
	}
	if err := Verify(ctx, from); err != nil {
		return nil, err
	}
	aside, err := newScratch(filepath.Dir(into), restoringPrefix)
	if err != nil {
		return nil, err
	}
	m := &meter{tell: o.Progress}
	restored, err := restoreAside(ctx, git, from, aside.dir, o, m)
	if err == nil {
		err = settle(aside.dir, into)
	}
	if err != nil {
		return nil, errors.Join(err, aside.remove())
	}
	restored.rename(aside.dir, into)
	m.finish()
	return restored, aside.release()
}

func checkNew(into string) error {
	names, err := os.ReadDir(into)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || len(names) > 0 {
		return &Error{Kind: ErrTargetInUse, Path: into, Err: err, Next: "name a new directory"}
	}
	return nil
}

// settle makes the tree durable and gives it its name. Rename replaces an empty directory and nothing else.
func settle(aside, into string) error {
	if err := syncTree(aside); err != nil {
		return err
	}
	// Not os.Rename, which refuses every existing directory.
	if err := unix.Rename(aside, into); err != nil {
		return &os.LinkError{Op: "rename", Old: aside, New: into, Err: err}
	}
	return syncDirectory(filepath.Dir(into))
}

// removeAll removes a tree whose directories may not be writable.
func removeAll(dir string) error {
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700) // if it does not help, RemoveAll says so
		}
		return nil
	})
	return os.RemoveAll(dir)
}

func (r *Restored) rename(from, to string) {
	if rel, err := filepath.Rel(from, r.Worktree); err == nil {
		r.Worktree = filepath.Join(to, rel)
	}
	for i := range r.Nested {
		r.Nested[i].rename(from, to)
	}
}

// restoreAside restores into a directory of ours, with an empty one beside it for git to start in.
func restoreAside(ctx context.Context, git Git, from, aside string, o RestoreOptions, m *meter) (*Restored, error) {
	home, err := newScratch(os.TempDir(), homePrefix)
	if err != nil {
		return nil, err
	}
	restored, err := restoreIn(ctx, git, from, aside, home.dir, o, m)
	return restored, errors.Join(err, home.remove())
}

// restoration is the restore of one repository.
type restoration struct {
	repo
	options RestoreOptions
	meter   *meter
	from    string   // the evidence
	top     *os.Root // the working tree
	items   []item
	result  *Restored
}

func restoreIn(ctx context.Context, git Git, from, into, home string, o RestoreOptions, m *meter) (restored *Restored, err error) {
	top, err := os.OpenRoot(into)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, top.Close()) }()
	r := &restoration{
		repo:    repo{git: git, dir: filepath.Join(into, ".git"), worktree: into, home: home, limit: limits.Capture},
		options: o, meter: m, from: from, top: top, result: &Restored{Worktree: into},
	}
	return r.result, r.steps(ctx)
}

// steps are in this order for a reason: shallow before objects and objects before references, for git refuses
// references to what is not there; directories get their modes and times last, since filling them changes both.
func (r *restoration) steps(ctx context.Context) error {
	steps := []struct {
		name string
		do   func(context.Context) error
	}{
		{"reading the list of files", r.readItems},
		{"restoring objects", r.restoreObjects},
		{"restoring the git directory", r.restoreAdmin},
		{"restoring files", r.restoreFiles},
		{"restoring what is inside", r.restoreNested},
		{"setting modes and times", r.restoreStamps},
		{"comparing", r.prove},
	}
	for _, step := range steps {
		r.meter.step(step.name)
		if err := step.do(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (r *restoration) file(name string) string { return filepath.Join(r.from, "git", name) }

func (r *restoration) readItems(context.Context) error {
	return readManifest(r.file("worktree.jsonl"), func(i item) error {
		r.items = append(r.items, i)
		r.meter.expect(2 * i.Size) // written, and read back
		return nil
	})
}

func (r *restoration) restoreNested(ctx context.Context) error {
	all, err := nestedIn(r.from)
	if err != nil {
		return err
	}
	for _, n := range all {
		if err := r.top.MkdirAll(n.path, 0o700); err != nil {
			return badEvidence(n.dir, "%v", err)
		}
		nested, err := restoreIn(ctx, r.git, n.dir, filepath.Join(r.worktree, n.path), r.home, r.options, r.meter)
		if err != nil {
			return err
		}
		r.result.Nested = append(r.result.Nested, *nested)
	}
	return nil
}
