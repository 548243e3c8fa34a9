package gitwork

// Captured is what a capture found and kept.
type Captured struct {
	Repository   Repository  `json:"repository"`
	ObjectFormat string      `json:"objectFormat"`
	Git          string      `json:"git"` // version
	Objects      Objects     `json:"objects"`
	Counts       Counts      `json:"counts"`
	Operations   []Operation `json:"operations"`
	Moved        []Moved     `json:"moved"`      // changed in the source while it was read
	OutOfScope   []Omission  `json:"outOfScope"` // met and not kept
	Notes        []string    `json:"notes"`
	Plain        *string     `json:"plain"` // why archives are not compressed, and how they would be; nil where they are; only at the top
	Nested       []Nested    `json:"nested"`
	Artefacts    []Artefact  `json:"artefacts"` // with those of nested repositories; only at the top
}

// Nested is a repository inside a captured one.
type Nested struct {
	Path     string    `json:"path"`    // relative to the outer working tree
	Dir      string    `json:"dir"`     // where its artefacts are, relative to the outer one's; "" if skipped
	Skipped  string    `json:"skipped"` // why it was not captured, or ""
	Captured *Captured `json:"captured"`
}

// Counts are of paths, unless they say otherwise.
type Counts struct {
	Clean       int   `json:"clean"`     // tracked files that are in the bundle byte for byte
	Changed     int   `json:"changed"`   // tracked files in worktree.tar
	Untracked   int   `json:"untracked"` // files and links that git would name as untracked
	Ignored     int   `json:"ignored"`   // files and links that git ignores, kept or not
	Directories int   `json:"directories"`
	Links       int   `json:"links"`
	FIFOs       int   `json:"fifos"`
	Bytes       int64 `json:"bytes"` // of all files that were read
}

// Untouched reports whether nothing moved in the source, nor in a repository inside, while it was read.
func (c *Captured) Untouched() bool {
	for _, n := range c.Nested {
		if n.Captured != nil && !n.Captured.Untouched() {
			return false
		}
	}
	return len(c.Moved) == 0
}
