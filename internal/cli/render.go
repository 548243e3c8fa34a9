package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"

	"golang.org/x/term"

	"holdfast/ownership"
)

// answer delivers the one result of a command: as JSON, or as the page that human
// fills.
func (v *invocation) answer(result any, human func(*page)) {
	if v.json {
		v.stdout.object(result)
		return
	}
	v.stdout.show(v.page(&v.stdout), human)
}

// row delivers one of many results as one line of JSON.
func (v *invocation) row(result any) { v.stdout.object(result) }

// refuse says why there is no answer.
func (v *invocation) refuse(r refusal) {
	if v.wantsJSON(r) {
		v.refusalsTo().object(r)
		return
	}
	if v.quiet {
		v.remarkAlways(r.Message)
		return
	}
	v.stderr.show(v.page(&v.stderr), func(p *page) { p.refusal(r) })
}

// remark tells people something on the side.
func (v *invocation) remark(format string, args ...any) {
	if !v.quiet {
		v.remarkAlways(fmt.Sprintf(format, args...))
	}
}

func (v *invocation) remarkAlways(text string) {
	fmt.Fprintf(&v.stderr, "session: %s\n", escape(text))
}

// refusalsTo is where refusals go as JSON. Standard output is the child's in `run`.
func (v *invocation) refusalsTo() *stream {
	if v.jsonTo != nil {
		return v.jsonTo
	}
	return &v.stdout
}

// wantsJSON reports whether a refusal is told in JSON: an argument that was wrong may
// have stood before --json.
func (v *invocation) wantsJSON(r refusal) bool {
	return v.json || r.Reason == ownership.ReasonUsage && typed(v.args, "--json")
}

// typed reports whether an option stands among args before "--".
func typed(args []string, option string) bool {
	for _, arg := range args {
		switch arg {
		case "--":
			return false
		case option:
			return true
		}
	}
	return false
}

// object writes one value as one line of JSON.
func (s *stream) object(value any) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		s.fault = err
		return
	}
	s.Write(b.Bytes())
}

// show writes a page in one piece.
func (s *stream) show(p *page, fill func(*page)) {
	fill(p)
	s.Write([]byte(p.String()))
}

const defaultWidth = 80

// page returns an empty page as wide and as colourful as its stream can bear.
func (v *invocation) page(s *stream) *page {
	p := &page{width: defaultWidth}
	fd := int(s.file.Fd())
	if !term.IsTerminal(fd) {
		return p
	}
	if w, _, err := term.GetSize(fd); err == nil && w > 0 {
		p.width = min(max(w, 40), 120)
	}
	p.ink = ink{!v.noColor && os.Getenv("NO_COLOR") == "" && os.Getenv("CI") == "" && os.Getenv("TERM") != "dumb"}
	return p
}
