package cli

import (
	"os"
	"path/filepath"
)

// worktreeAround returns the git worktree that dir lies in, or "". It only looks for
// a .git on the way up: no git process runs, so nothing that the repository
// configures does.
func worktreeAround(dir string) string {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}
