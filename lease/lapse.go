package lease

import (
	"fmt"
	"time"

	"holdfast/ownership"
)

// LapseError is why ownership was lost when an owner could not tell its store in time
// that it lives. The store keeps others out until a moment that is yet to come.
type LapseError struct {
	TTL   time.Duration // how long the store waits for an owner
	Until time.Time     // whoever owned the session has until then to stop
}

func (e *LapseError) Error() string {
	return fmt.Sprintf("the store could not be told since %s that this owner lives, and lets go of an owner that it does not hear of for %s",
		ownership.At(e.Until.Add(-e.TTL)), e.TTL)
}
