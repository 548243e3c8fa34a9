package cli

import "holdfast/lease"

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
			next = append(next, f.Next...)
		}
		p.signed(indent, sign, f.Check, f.Detail)
	}
	p.next(next)
}
