package gitwork

import (
	"time"

	"holdfast/internal/zst"
)

// Limits replaces how long a git may take, for counts and for captures. It returns what undoes it.
func Limits(count, capture time.Duration) func() {
	was := limits
	limits.Count, limits.Capture = count, capture
	return func() { limits = was }
}

// ComposeFrom makes captures write their packs themselves from that many bytes of loose objects on. It returns what
// undoes it.
func ComposeFrom(bytes int64) func() {
	was := composedFrom
	composedFrom = bytes
	return func() { composedFrom = was }
}

// PackWith replaces the program that compresses. It returns what undoes it.
func PackWith(p zst.Program) func() {
	was := packer
	packer = func() zst.Program { return p }
	return func() { packer = was }
}
