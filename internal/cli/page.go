package cli

import (
	"strings"

	"github.com/clipperhouse/displaywidth"

	"holdfast/lease"
	"holdfast/ownership"
)

// page is a text for people while it is laid out. What goes into it from outside is
// escaped here, once.
type page struct {
	strings.Builder
	ink   ink
	width int
}

const (
	indent     = "  "
	labelWidth = 10 // of the first column, without the space behind it
)

// line adds a line as it is.
func (p *page) line(s string) {
	p.WriteString(s)
	p.WriteByte('\n')
}

// gap adds an empty line, unless the page begins.
func (p *page) gap() {
	if p.Len() > 0 {
		p.WriteByte('\n')
	}
}

// text adds a paragraph, wrapped, with its further lines indented; nothing for "".
func (p *page) text(s string) {
	if s == "" {
		return
	}
	for i, l := range wrap(escape(s), p.width-len(indent)) {
		if i > 0 {
			l = indent + l
		}
		p.line(l)
	}
}

// field adds a label and what it stands for; nothing for an empty value.
func (p *page) field(label, value string) {
	if value != "" {
		p.hang(indent+p.ink.dim(pad(label, labelWidth))+" ", len(indent)+labelWidth+1, value)
	}
}

// hang adds a value behind a prefix of a visible width; further lines stand under it.
func (p *page) hang(prefix string, width int, value string) {
	for i, l := range wrap(escape(value), p.width-width) {
		if i > 0 {
			prefix = strings.Repeat(" ", width)
		}
		p.line(prefix + l)
	}
}

const subjectWidth = 13

// evidence adds one line of evidence: sign, what was probed, what was found.
func (p *page) evidence(e ownership.Evidence) {
	p.signed(indent+indent, p.ink.finding(e.Finding), e.Probe, e.Detail)
}

// signed adds a line behind a sign, which takes one column.
func (p *page) signed(margin, sign, subject, detail string) {
	subject = pad(escape(subject), subjectWidth)
	p.hang(margin+sign+" "+subject+" ", len(margin)+1+1+displaywidth.String(subject)+1, detail)
}

// commands adds what can be typed, each under why. A command is never wrapped, so
// that it can be copied.
func (p *page) commands(all []lease.Next) {
	for n, next := range all {
		if n > 0 {
			p.gap()
		}
		for _, l := range wrap(escape(next.Why), p.width-len(indent)-len("# ")) {
			p.line(indent + p.ink.dim("# "+l))
		}
		p.line(indent + p.ink.bold(shellCommand(next.Argv)))
	}
}

// pad fills s with spaces up to a width on the screen.
func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-displaywidth.String(s)))
}

// wrap breaks s at single spaces so that lines have at most width columns. A word that
// is longer stays whole: it may be a path to copy.
func wrap(s string, width int) []string {
	var lines []string
	line, room := "", width
	for n, word := range strings.Split(s, " ") {
		room -= 1 + displaywidth.String(word)
		switch {
		case n == 0:
			line, room = word, room+1
		case room < 0:
			lines = append(lines, line)
			line, room = word, width-displaywidth.String(word)
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}
