package zst

import (
	"io"
	"strings"
	"time"
)

// ReadPlain reads a plain stream.
func ReadPlain(stream []byte) ([]byte, error) {
	rest, found := strings.CutPrefix(string(stream), mark)
	if !found {
		return nil, ErrDamaged
	}
	return io.ReadAll(newPlainReader(strings.NewReader(rest)))
}

// Mark is how a plain stream begins.
const Mark = mark

// Limits replaces how long a program may stand still, and how late what it gave may come. It returns what undoes it.
func Limits(still, late time.Duration) func() {
	was := limits
	limits.Still, limits.Late = still, late
	return func() { limits = was }
}
