package main

import (
	"fmt"
	"strings"
)

// remarks says where the figures come from, and what rows had to say.
func (b *book) remarks() string {
	var s strings.Builder
	s.WriteString("\n" + b.origins())
	for _, done := range b.Results {
		if len(done.Notes) > 0 {
			fmt.Fprintf(&s, "- %s: %s.\n", done.Row, strings.Join(done.Notes, "; "))
		}
	}
	return s.String()
}

// origins names each run with its machine, the latest one first; a run that others were
// added to names its rows.
func (b *book) origins() string {
	var s strings.Builder
	all := b.occasions()
	for _, o := range all {
		which := "Measured in one run"
		if len(all) > 1 {
			which = strings.Join(o.rows, ", ") + ": measured in one run"
		}
		fmt.Fprintf(&s, "%s that began %s, on %s.\n\n", which, o.Run, o.Machine)
	}
	return s.String()
}

// occasion is what was measured together.
type occasion struct {
	origin
	rows []string
}

func (b *book) occasions() (all []occasion) {
	known := map[origin]int{}
	for _, done := range b.Results {
		n, ok := known[done.origin]
		if !ok {
			n = len(all)
			known[done.origin] = n
			all = append(all, occasion{origin: done.origin})
		}
		all[n].rows = append(all[n].rows, done.Row)
	}
	return all
}
