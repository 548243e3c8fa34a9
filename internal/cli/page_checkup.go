package cli

import (
	"slices"

	"holdfast/lease"
)

// checkup adds a line for each thing that was checked, and what to type about what is
// wrong.
func (p *page) checkup(c checkup) {
	p.line("store " + p.ink.bold(escape(c.Store)))
	var next []lease.Next
	for _, f := range c.Findings {
		sign := p.ink.in("32", "✓")
		switch {
		case !f.Checked:
			sign = p.ink.in("33", "?")
		case f.Problem:
			sign = p.ink.in("1;31", "✗")
			next = append(next, fresh(next, f.Next)...)
		}
		p.signed(indent, sign, f.Check, f.Detail)
	}
	p.next(next)
}

// fresh leaves out what one finding asks for that another one did already.
func fresh(known, more []lease.Next) []lease.Next {
	return slices.DeleteFunc(slices.Clone(more), func(n lease.Next) bool {
		return slices.ContainsFunc(known, func(k lease.Next) bool { return slices.Equal(k.Argv, n.Argv) })
	})
}
