package gitwork

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Count says what would be lost with the working tree whose top is dir, and changes nothing in it. It needs some
// megabytes in the system's temporary directory. Its errors are [*Error]: ErrNotRepository, ErrUnsupported,
// ErrUnreadable and, where git cannot read index or objects, ErrDamaged or ErrEndless.
func Count(ctx context.Context, git Git, dir string) (*Risk, error) {
	r, err := Locate(dir)
	if err != nil {
		return nil, err
	}
	return countIn(ctx, git, r, map[string]bool{})
}

// countIn counts one repository and those inside it. Outer holds the common directories around it.
func countIn(ctx context.Context, git Git, r Repository, outer map[string]bool) (risk *Risk, err error) {
	scratch, err := newScratch(os.TempDir(), countPrefix)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, scratch.remove()) }()
	s, err := newShadow(ctx, git, r, scratch.dir, limits.Count)
	if err == nil {
		err = s.arm(ctx, false)
	}
	if err != nil {
		return nil, err
	}
	c := counter{shadow: s, risk: &Risk{Repository: r, Operations: []Operation{}, Nested: []NestedRisk{}}}
	if err := c.count(ctx); err != nil {
		return nil, err
	}
	return c.risk, c.countNested(ctx, withOuter(outer, r.CommonDir))
}

func withOuter(outer map[string]bool, dir string) map[string]bool {
	more := map[string]bool{dir: true}
	for d := range outer {
		more[d] = true
	}
	return more
}

type counter struct {
	*shadow
	risk   *Risk
	tree   []entry
	nested []entry
}

func (c *counter) count(ctx context.Context) (err error) {
	if c.tree, err = walkTree(ctx, c.worktree); err != nil {
		return err
	}
	if err := c.waits(); err != nil {
		return err
	}
	c.risk.Operations = append(c.risk.Operations, operations(c.dir)...)
	err = c.withoutSource(ctx, func() error { return errors.Join(c.countChanges(ctx), c.countFiles(ctx)) })
	return c.blame(errors.Join(err, c.countUnpushed(ctx), c.countStashes()))
}

// blame says of an error of git that the repository is damaged: the question was one that it always answers.
func (c *counter) blame(err error) error {
	var failed *GitError
	switch {
	case errors.Is(err, ErrEndless):
		return endless(c.source.GitDir, err)
	case errors.As(err, &failed):
		return damaged(c.source.GitDir, err)
	}
	return err
}

// countChanges counts what differs between commit, index and working tree.
func (c *counter) countChanges(ctx context.Context) error {
	lines, err := c.fields(ctx, "status", "--porcelain=v2", "-z", "--untracked-files=no", "--no-renames", "--ignore-submodules=dirty")
	if err != nil {
		return err
	}
	for _, line := range lines {
		switch {
		case strings.HasPrefix(line, "u "):
			c.risk.Conflicts++
			c.risk.Unstaged++
		case strings.HasPrefix(line, "1 ") && len(line) > 4:
			c.risk.Staged += changed(line[2])
			c.risk.Unstaged += changed(line[3])
		}
	}
	return nil
}

func changed(mark byte) int {
	if mark == '.' {
		return 0
	}
	return 1
}

// countFiles counts what is in the working tree and not in the index, and looks behind the flags that make git pass
// a file over.
func (c *counter) countFiles(ctx context.Context) error {
	x, err := c.readIndex(ctx)
	if err == nil {
		err = x.fault
	}
	if err != nil {
		return err
	}
	tracked, err := c.trackedPaths(ctx)
	if err != nil {
		return err
	}
	ignored, err := c.readIgnored(ctx)
	if err != nil {
		return err
	}
	markIgnored(c.tree, ignored)
	for _, e := range c.tree {
		if err := c.countEntry(e, x, tracked); err != nil {
			return err
		}
		delete(tracked, e.path)
	}
	for _, flag := range tracked {
		if assumed(flag) && flag != 's' {
			c.risk.Unstaged++ // deleted, and hidden by "assume unchanged"
		}
	}
	return nil
}

func (c *counter) countEntry(e entry, x index, tracked map[string]byte) error {
	flag, known := tracked[e.path]
	switch {
	case e.nested:
		c.nested = append(c.nested, e)
	case known:
		return c.countHidden(e, x, flag)
	case !e.isRegular() && !e.isLink(): // git does not name it
	case e.ignored:
		c.risk.Ignored++
	default:
		c.risk.Untracked++
	}
	return nil
}

// countUnpushed counts the commits that only this repository is known to have.
func (c *counter) countUnpushed(ctx context.Context) error {
	args := []string{"rev-list", "--count", "--branches"}
	head, err := c.output(ctx, "rev-parse", "-q", "--verify", "HEAD^{commit}")
	switch {
	case err == nil:
		args = append(args, string(bytes.TrimSpace(head)))
	case exitCode(err) != 1: // 1 is a branch without commits
		return err
	}
	out, err := c.output(ctx, append(args, "--not", "--remotes")...)
	if err != nil {
		return err
	}
	c.risk.Unpushed, err = strconv.Atoi(strings.TrimSpace(string(out)))
	return err
}

// countStashes counts the lines of the stash's log, which is what git lists.
func (c *counter) countStashes() error {
	log, err := os.ReadFile(filepath.Join(c.dir, "logs", "refs", "stash"))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	c.risk.Stashes = bytes.Count(log, []byte("\n"))
	if _, missing := os.Lstat(filepath.Join(c.dir, "refs", "stash")); missing == nil && c.risk.Stashes == 0 {
		c.risk.Stashes = 1
	}
	return err
}
