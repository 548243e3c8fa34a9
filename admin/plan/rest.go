package plan

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"holdfast/admin/evidence"
	"holdfast/internal/gitwork"
	"holdfast/ownership"
)

// leftBehind is what to do about a branch whose worktree is gone: its removal was killed half-way, or the worktree was removed alone. The
// snapshot still says whose it was.
func (w *applying) leftBehind(ctx context.Context, planned Item) (t task, why string) {
	if planned.ID != RemoveBranch || w.facts.work.Worktree == nil || !missing(*w.facts.work.Worktree) || w.plan.Snapshot == nil {
		return task{}, ""
	}
	tree, err := w.plan.keptTree(ctx)
	if err != nil {
		return task{}, err.Error()
	}
	item := tree.branchItem(w.plan.Snapshot)
	if !missing(tree.Worktree) || item.Gate != planned.Gate || !slices.EqualFunc(item.Steps, planned.Steps, sameStep) {
		return task{}, "its commands are others by now"
	}
	switch tip, err := tree.tipOf(ctx); {
	case err != nil:
		return task{}, err.Error()
	case tip == "":
		return task{item: planned, already: "it is gone"}, ""
	case tip != tree.tip:
		return task{}, fmt.Sprintf("branch %q is at %s by now, which is not in the snapshot", tree.branch, tip)
	}
	w.rest = tree
	return task{item: item}, ""
}

// kept is what a snapshot says of itself, as far as it matters here.
type kept struct {
	KeyDigest  ownership.Digest
	Revision   *ownership.Revision
	Git        *struct{ Repository gitwork.Repository }
	Moved      []evidence.Moved
	OutOfScope []evidence.Omission
}

// kept reads what a snapshot says of itself, and returns an error unless it is of the plan's session and revision.
func (p Plan) kept(s Snapshot) (k kept, err error) {
	b, err := s.artefact("snapshot.json")
	if err == nil {
		err = json.Unmarshal(b, &k)
	}
	if err == nil && (k.KeyDigest != p.KeyDigest || k.Revision == nil || *k.Revision != p.Revision || k.Git == nil) {
		err = errors.New("the snapshot is not of this session as it is now")
	}
	return k, err
}

// has returns why a snapshot does not surely have all of a worktree, whatever a plan says of it.
func (k kept) has(t *tree) error {
	switch {
	case k.Git.Repository != t.Repository:
		return fmt.Errorf("the snapshot is of worktree %q", k.Git.Repository.Worktree)
	case len(k.Moved) > 0 || len(k.OutOfScope) > 0:
		return errors.New("the snapshot does not surely have all of it")
	}
	return nil
}

// keptTree is the worktree as the snapshot has it: no word of the plan is relied on but where the snapshot is.
func (p Plan) keptTree(ctx context.Context) (*tree, error) {
	kept, err := p.kept(*p.Snapshot)
	if err != nil {
		return nil, err
	}
	t := &tree{Repository: kept.Git.Repository}
	if t.git, err = gitwork.FindGit(ctx); err != nil {
		return nil, err
	}
	return t, p.Snapshot.branchOf(t)
}

func (s Snapshot) artefact(name string) ([]byte, error) {
	return evidence.Artefact(s.Dir, s.Manifest, name)
}

// branchOf completes a tree with the branch that was checked out in it, and its commit.
func (s Snapshot) branchOf(t *tree) error {
	trees, err := s.artefact("git/worktrees.txt")
	if err != nil {
		return err
	}
	refs, err := s.artefact("git/refs.txt")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(trees)) {
		if name, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), t.Worktree+" ref: refs/heads/"); ok {
			t.branch = name
		}
	}
	for line := range strings.Lines(string(refs)) {
		if hash, ok := strings.CutSuffix(strings.TrimSuffix(line, "\n"), " commit refs/heads/"+t.branch); ok && t.branch != "" {
			t.tip = hash
		}
	}
	if t.tip == "" {
		return errors.New("the snapshot names no branch of it")
	}
	return nil
}

// removeRest removes what git still knows of the worktree, and its branch, while nobody can acquire the session.
func (w *applying) removeRest(ctx context.Context, i Item) Result {
	var steps []StepResult
	err := w.excluding(ctx, func() error {
		if err := w.plan.Snapshot.verify(ctx); err != nil {
			return err
		}
		switch tip, err := w.rest.tipOf(ctx); {
		case err != nil:
			return err
		case tip != w.rest.tip || !missing(w.rest.Worktree):
			return errors.New("it was changed at this moment")
		}
		if !w.rest.isRegistered() {
			steps = append(steps, StepResult{Status: Needless, Detail: "it is gone"})
		}
		for _, s := range i.Steps[len(steps):] {
			if err := w.rest.run(ctx, s.Argv[1:]); err != nil {
				return err
			}
			steps = append(steps, done(""))
		}
		return nil
	})
	if err != nil {
		return result(i, err, append(steps, failed(err))...)
	}
	r := result(i, nil, steps...)
	r.Detail = "its work is in " + w.plan.Snapshot.Dir
	return r
}

// isRegistered reports whether the repository still has a place for exactly this worktree.
func (t *tree) isRegistered() bool {
	b, err := os.ReadFile(filepath.Join(t.GitDir, "gitdir"))
	return err == nil && strings.TrimSpace(string(b)) == filepath.Join(t.Worktree, ".git")
}
