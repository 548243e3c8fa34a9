package gitwork

import "time"

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
