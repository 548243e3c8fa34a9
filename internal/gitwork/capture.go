package gitwork

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
)

// CaptureOptions say what to capture and how.
type CaptureOptions struct {
	IncludeIgnored bool           // keep what git ignores too
	Threads        int            // 0 is one a processor
	Progress       func(Progress) // called from one goroutine at a time; may be nil
}

// Capture writes the git part of the evidence of the working tree whose top is dir into out, a directory of the
// caller's that has neither git nor nested in it and lies outside dir. It makes every file and directory durable.
// After an error out holds leftovers, for the caller to remove. Ends with the cause of ctx when that is done.
//
// Errors of kind ErrNotRepository, ErrUnreadable and ErrUnsupported are about the source. Damage in the source is no
// error: objects and index are then kept as they are.
func Capture(ctx context.Context, git Git, dir, out string, o CaptureOptions) (*Captured, error) {
	r, err := Locate(dir)
	if err != nil {
		return nil, err
	}
	if out, err = realDirectory(out); err != nil {
		return nil, err
	}
	if o.Threads <= 0 {
		o.Threads = runtime.NumCPU()
	}
	artefacts := []Artefact{}
	c := capture{
		git: git, options: o, source: r, meter: &meter{tell: o.Progress},
		out: output{dir: out, artefacts: &artefacts}, outer: map[string]bool{}, plain: new(error),
	}
	if err := c.checkTarget(); err != nil {
		return nil, err
	}
	captured, err := c.run(ctx)
	if err != nil {
		return nil, err
	}
	c.meter.finish()
	c.tellPlain()
	captured.Artefacts = artefacts
	return captured, c.out.syncDirectories()
}

// capture is the capture of one repository.
type capture struct {
	git     Git
	options CaptureOptions
	source  Repository
	meter   *meter
	out     output
	outer   map[string]bool // common directories of the repositories around this one
	plain   *error          // why archives are not compressed; of all repositories together

	*shadow
	result  *Captured
	entries []entry
	gits    []entry // the source's git directories, before
	index   index
	hidden  bool                  // git sees no working tree
	borrows bool                  // the shadow still has the source's objects
	keeps   func(oid string) bool // whether the bundle has an object, by its name in binary
}

func (c *capture) checkTarget() error {
	inside, err := filepath.Rel(c.source.Worktree, c.out.dir)
	if err == nil && filepath.IsLocal(inside) {
		return &Error{Kind: ErrTargetInUse, Path: c.out.dir, Err: errors.New("lies inside the working tree"), Next: "name a directory outside it"}
	}
	for _, name := range []string{"git", "nested"} {
		if _, err := os.Lstat(c.out.path(name)); err == nil {
			return &Error{Kind: ErrTargetInUse, Path: c.out.path(name), Next: "name a new or empty directory"}
		}
	}
	return nil
}

// scratchName is a directory beside the artefacts that is gone at the end: it is on their file system, and large.
const scratchName = "scratch"

// run captures the repository and those inside it.
func (c *capture) run(ctx context.Context) (captured *Captured, err error) {
	c.result = &Captured{Repository: c.source, Git: c.git.Version}
	scratch := c.out.path(scratchName)
	if err := errors.Join(c.out.directory("git"), os.Mkdir(scratch, 0o700)); err != nil {
		return nil, err
	}
	if err := c.steps(ctx, scratch); err != nil {
		return nil, err
	}
	if err := os.RemoveAll(scratch); err != nil {
		return nil, err
	}
	return c.result, c.captureNested(ctx)
}

// steps are in this order for a reason: the look before everything, administration before objects so that every
// name in it is among the tips, objects before files so that what is clean is known, the second look last.
func (c *capture) steps(ctx context.Context, scratch string) error {
	steps := []struct {
		name string
		do   func(context.Context) error
	}{
		{"looking", c.lookBefore},
		{"copying the git directory", func(ctx context.Context) error { return c.cast(ctx, scratch) }},
		{"keeping the git directory", c.keepAdmin},
		{"packing objects", c.keepObjects},
		{"reading files", c.keepFiles},
		{"looking again", c.lookAfter},
	}
	for _, step := range steps {
		c.meter.step(step.name)
		if err := step.do(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (c *capture) cast(ctx context.Context, scratch string) (err error) {
	if c.shadow, err = newShadow(ctx, c.git, c.source, scratch, limits.Capture); err != nil {
		return err
	}
	c.hideTree()
	c.result.ObjectFormat = c.format.Name
	c.result.Operations = operations(c.dir)
	if c.config.fault != nil {
		c.note("the configuration cannot be parsed: %v", c.config.fault)
	}
	return nil
}

// keepFiles does what git needs the index for: from here on it sees private objects only, or no need to write any.
func (c *capture) keepFiles(ctx context.Context) error {
	do := func() error {
		for _, part := range []func(context.Context) error{c.readIndexes, c.keepContents, c.describe} {
			if err := part(ctx); err != nil {
				return err
			}
		}
		return nil
	}
	if c.result.Objects.Form != AsFiles && !c.borrows {
		return do()
	}
	return c.withoutSource(ctx, do)
}

func (c *capture) readIndexes(ctx context.Context) (err error) {
	if c.index, err = c.readIndex(ctx); err != nil {
		return err
	}
	if c.index.fault != nil {
		c.note("git cannot read the index, so every file is kept as an untracked one: %v", c.index.fault)
		return nil
	}
	ignored, err := c.readIgnored(ctx)
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if err != nil {
		c.note("git cannot tell what is ignored, so everything is kept: %v", err)
	}
	markIgnored(c.entries, ignored)
	return nil
}
