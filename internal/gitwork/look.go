package gitwork

import (
	"context"
	"path/filepath"
	"slices"
)

func (c *capture) lookBefore(ctx context.Context) (err error) {
	if c.entries, err = walkTree(ctx, c.source.Worktree); err != nil {
		return err
	}
	for _, e := range c.entries {
		if e.isRegular() {
			c.meter.expect(e.Size)
		}
	}
	c.gits, err = gitDirectories(ctx, c.source)
	return err
}

func (c *capture) lookAfter(ctx context.Context) error {
	tree, err := walkTree(ctx, c.source.Worktree)
	if err != nil {
		return err
	}
	gits, err := gitDirectories(ctx, c.source)
	if err != nil {
		return err
	}
	moved := slices.Concat(difference(c.source.Worktree, c.entries, tree), difference("/", c.gits, gits))
	seen := map[string]bool{}
	for _, m := range moved {
		seen[m.Path] = true
	}
	for path, what := range c.changed {
		if !seen[path] {
			moved = append(moved, Moved{path, what})
		}
	}
	slices.SortFunc(moved, func(a, b Moved) int { return compare(a.Path, b.Path) })
	c.result.Moved = moved
	return nil
}

// gitDirectories lists the git directories of r, objects included, by absolute path. Other worktrees are other
// sessions', and git directories of submodules are looked at when those are captured.
func gitDirectories(ctx context.Context, r Repository) ([]entry, error) {
	var all []entry
	for _, dir := range slices.Compact([]string{r.GitDir, r.CommonDir}) {
		top, err := lstat(dir)
		if err != nil {
			return nil, unreadable(dir, err)
		}
		all = append(all, entry{path: dir, stamp: top})
		files, err := walkAdmin(ctx, dir, func(name string) bool { return name == "modules" || name == "worktrees" })
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			all = append(all, entry{path: filepath.Join(dir, f.name), stamp: f.stamp})
		}
	}
	return all, nil
}
