package gitwork

import (
	"os"
	"path/filepath"
)

// Operation is something that git was asked to do and has not finished.
type Operation string

// The operations. Several can be in progress at once: a merge during a bisection.
const (
	Merge      Operation = "merge"
	Rebase     Operation = "rebase"
	CherryPick Operation = "cherry-pick"
	Revert     Operation = "revert"
	Am         Operation = "am"
	Bisect     Operation = "bisect"
)

// signs are the files that show an operation in progress.
var signs = []struct {
	file string
	is   Operation
}{
	{"MERGE_HEAD", Merge},
	{"rebase-merge", Rebase},
	{"rebase-apply/rebasing", Rebase},
	{"rebase-apply/applying", Am},
	{"CHERRY_PICK_HEAD", CherryPick},
	{"REVERT_HEAD", Revert},
	{"BISECT_LOG", Bisect},
}

// operations returns what is in progress in a git directory.
func operations(gitDir string) []Operation {
	var found []Operation
	for _, sign := range signs {
		if _, err := os.Lstat(filepath.Join(gitDir, sign.file)); err == nil {
			found = append(found, sign.is)
		}
	}
	if len(found) == 0 {
		return sequence(gitDir)
	}
	return found
}

// sequence tells what a series of picks is, between two of them: its list begins with the word.
func sequence(gitDir string) []Operation {
	todo, err := os.ReadFile(filepath.Join(gitDir, "sequencer", "todo"))
	switch {
	case err != nil:
		return nil
	case len(todo) > 6 && string(todo[:6]) == "revert":
		return []Operation{Revert}
	}
	return []Operation{CherryPick}
}
