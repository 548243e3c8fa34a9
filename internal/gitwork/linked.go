package gitwork

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// lockedName is the file that keeps git from pruning or removing a linked worktree; it has the reason in it.
const lockedName = "locked"

// Lock reports whether `git worktree lock` protects a linked worktree, and for what reason.
func (r Repository) Lock() (reason string, locked bool, err error) {
	b, err := readSource(filepath.Join(r.GitDir, lockedName), maxPointer)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", false, nil
	case err != nil:
		return "", false, unreadable(filepath.Join(r.GitDir, lockedName), err)
	}
	return strings.TrimSpace(string(b)), true, nil
}

// Branch returns the name of the branch that is checked out, without refs/heads/, or "" where none is.
func (r Repository) Branch() (string, error) {
	text, err := readPointer(filepath.Join(r.GitDir, "HEAD"))
	if err != nil {
		return "", unreadable(filepath.Join(r.GitDir, "HEAD"), err)
	}
	name, ok := strings.CutPrefix(text, "ref: refs/heads/")
	if !ok {
		return "", nil
	}
	return name, nil
}

// Fingerprint is a hash that differs when anything was written in the working tree or in the git directory of its own,
// by name, mode, size and times of every file. Nothing is opened but directories. That somebody locks the worktree does
// not count.
func Fingerprint(ctx context.Context, r Repository) (string, error) {
	tree, err := walkTree(ctx, r.Worktree)
	if err != nil {
		return "", err
	}
	admin, err := walkAdmin(ctx, r.GitDir, func(name string) bool {
		return name == "modules" || name == "worktrees" || name == lockedName
	})
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	for _, e := range tree {
		fmt.Fprintf(sum, "%q %v\n", e.path, written(e.stamp, e.isDir()))
	}
	for _, f := range admin {
		fmt.Fprintf(sum, "%q %v\n", ".git/"+f.name, written(f.stamp, f.isDir()))
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// written drops the times and the size of a directory: what is in it is listed.
func written(s stamp, dir bool) stamp {
	if dir {
		return stamp{Mode: s.Mode}
	}
	return s
}
