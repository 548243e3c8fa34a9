package gitwork

import (
	"fmt"
	"strings"
)

// String returns the counts in words, on one line, with those of the repositories inside.
func (r Risk) String() string {
	words := r.words()
	if len(words) == 0 {
		words = []string{"nothing that is not committed and pushed"}
	}
	s := strings.Join(words, ", ")
	for _, n := range r.Nested {
		switch {
		case n.Risk == nil:
			s += fmt.Sprintf("; not counted in %s: %s", n.Path, n.Skipped)
		case n.Risk.Any():
			s += fmt.Sprintf("; in %s: %s", n.Path, n.Risk)
		}
	}
	return s
}

func (r Risk) words() (words []string) {
	for _, c := range []struct {
		n         int
		one, more string
	}{
		{r.Staged, "staged", "staged"}, {r.Unstaged, "unstaged", "unstaged"}, {r.Conflicts, "in conflict", "in conflict"},
		{r.Untracked, "untracked", "untracked"}, {r.Ignored, "ignored", "ignored"},
		{r.Unpushed, "commit on no remote", "commits on no remote"}, {r.Stashes, "stash", "stashes"},
	} {
		switch c.n {
		case 0:
		case 1:
			words = append(words, "1 "+c.one)
		default:
			words = append(words, fmt.Sprintf("%d %s", c.n, c.more))
		}
	}
	for _, o := range r.Operations {
		words = append(words, string(o)+" in progress")
	}
	return words
}
