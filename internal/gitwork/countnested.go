package gitwork

import (
	"context"
	"path/filepath"
)

// Why a repository inside another is passed over.
const (
	skippedWorktree = "another worktree of the same repository: another session's"
	skippedIgnored  = "inside a directory that git ignores"
)

func (c *counter) countNested(ctx context.Context, outer map[string]bool) error {
	for _, e := range c.nested {
		r, err := Locate(filepath.Join(c.worktree, e.path))
		if err != nil {
			return err
		}
		n := NestedRisk{Path: e.path, Skipped: skipReason(r, outer, e.ignored)}
		if n.Skipped == "" {
			if n.Risk, err = countIn(ctx, c.git, r, outer); err != nil {
				return err
			}
		}
		c.risk.Nested = append(c.risk.Nested, n)
	}
	return nil
}

func skipReason(r Repository, outer map[string]bool, ignored bool) string {
	switch {
	case r.Linked() && outer[r.CommonDir]:
		return skippedWorktree
	case ignored:
		return skippedIgnored
	}
	return ""
}
