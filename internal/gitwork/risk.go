package gitwork

// Risk is the work that is nowhere but in one working tree and its repository. Numbers are of paths unless they say
// otherwise; of a linked worktree, branches and stashes are those of the whole repository.
type Risk struct {
	Repository Repository   `json:"repository"`
	Staged     int          `json:"staged"`    // differ from the commit
	Unstaged   int          `json:"unstaged"`  // differ from the index, deleted, or in conflict; also where a flag hides it
	Conflicts  int          `json:"conflicts"` // of the unstaged
	Untracked  int          `json:"untracked"` // files, not directories
	Ignored    int          `json:"ignored"`   // files that git ignores
	Unpushed   int          `json:"unpushed"`  // commits of HEAD and local branches on no remote-tracking branch
	Stashes    int          `json:"stashes"`   // entries
	Operations []Operation  `json:"operations"`
	Nested     []NestedRisk `json:"nested"`
}

// NestedRisk is the work in a submodule or another repository inside the working tree.
type NestedRisk struct {
	Path    string `json:"path"`    // relative to the outer working tree
	Skipped string `json:"skipped"` // why it was not counted, or ""
	Risk    *Risk  `json:"risk"`    // nil where it was not counted
}

// Any reports whether anything would be lost. Ignored files alone are not work: nearly every tree has some.
func (r Risk) Any() bool {
	own := r.Staged + r.Unstaged + r.Untracked + r.Unpushed + r.Stashes + len(r.Operations)
	for _, n := range r.Nested {
		if n.Risk != nil && n.Risk.Any() {
			return true
		}
	}
	return own > 0
}
