package cli

import (
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"holdfast/admin/evidence"
)

// bar shows on a terminal how far something long is, in a line that it writes over. Elsewhere it shows nothing.
type bar struct {
	to    *stream
	width int
	last  time.Time
	step  string
}

const (
	barEvery = 100 * time.Millisecond
	barWidth = 20
)

func (v *invocation) bar() *bar {
	fd := int(v.stderr.file.Fd())
	if v.quiet || !term.IsTerminal(fd) || os.Getenv("TERM") == "dumb" {
		return &bar{}
	}
	width, _, err := term.GetSize(fd)
	if err != nil || width < 2*barWidth {
		width = defaultWidth
	}
	return &bar{to: &v.stderr, width: width}
}

// show draws anew at most every tenth of a second, and for a new step at once.
func (b *bar) show(p evidence.Progress) {
	now := time.Now()
	if b.to == nil || p.Step == b.step && now.Sub(b.last) < barEvery {
		return
	}
	b.last, b.step = now, p.Step
	line := p.Step
	if p.Total > 0 {
		line = fmt.Sprintf("%s %s of %s  %s", drawn(p.Done, p.Total), bytesOf(p.Done), bytesOf(p.Total), p.Step)
	}
	fmt.Fprintf(b.to, "\r\x1b[K%.*s", b.width-1, line)
}

// drawn needs no more than ASCII: there may be no other characters on a terminal in trouble.
func drawn(done, total int64) string {
	full := int(min(done, total) * barWidth / total)
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", barWidth-full) + "]"
}

// clear makes room for the answer.
func (b *bar) clear() {
	if b.to != nil && b.step != "" {
		fmt.Fprint(b.to, "\r\x1b[K")
	}
}
