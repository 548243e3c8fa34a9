package cli

import (
	"fmt"
	"path/filepath"

	"holdfast/admin"
)

// pruned adds a line for a thing that was archived, removed or kept.
func (p *page) pruned(found admin.Pruned) {
	what := plural(found.Count, found.Kind)
	if found.Path != nil {
		what = filepath.Base(*found.Path)
	}
	title := ""
	if found.KeyDigest != nil {
		title = rowTitle(found.Key, *found.KeyDigest) + "  "
	}
	what = title + what
	switch {
	case found.Action == admin.PruneQuarantine:
		what = title + found.Why // which names the file
	case found.Why != "":
		what += ": " + found.Why
	}
	action := pad(string(found.Action), len(admin.PruneQuarantine))
	p.hang(indent+p.ink.dim(action)+" ", len(indent)+len(action)+1, what)
}

// tidied adds the line that says what it comes to.
func (p *page) tidied(t tidying, mode admin.PruneMode) {
	format := "archived %s, removed %s"
	if mode == admin.PrunePreview {
		format = "would archive %s, and remove %s"
	}
	s := fmt.Sprintf(format, plural(t.archived, "record"), plural(t.removed, "leftover"))
	if t.setAside > 0 {
		s += fmt.Sprintf("; damaged files kept in quarantine: %d", t.setAside)
	}
	if t.kept > 0 {
		s += fmt.Sprintf("; kept %d that may be in use", t.kept)
	}
	if mode == admin.PrunePreview {
		s += "; nothing was changed"
	}
	p.line(s)
}
