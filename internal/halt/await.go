package halt

import (
	"context"
	"errors"
	"time"
)

// Await waits until every process has ended, and returns those that have not when the patience is over or ctx is done.
// Its error says of whom it could not be asked; they are among those left.
func Await(ctx context.Context, all []Process, patience time.Duration) (left []Process, err error) {
	giveUp := time.Now().Add(patience)
	for _, p := range all {
		ended, failed := awaitOne(ctx, p, giveUp)
		if !ended {
			left = append(left, p)
		}
		err = errors.Join(err, failed)
	}
	return left, err
}

// awaitOne asks at least once, also when there is no time left.
func awaitOne(ctx context.Context, p Process, giveUp time.Time) (ended bool, err error) {
	h, err := open(p)
	if errors.Is(err, ErrEnded) {
		return true, nil
	}
	if err != nil {
		return false, about(p, err)
	}
	defer h.close()
	for {
		ended, err := h.ended(min(max(time.Until(giveUp), 0), slice))
		if ended || err != nil || ctx.Err() != nil || !time.Now().Before(giveUp) {
			return ended, err
		}
	}
}

// slice is how long a wait may be deaf to the end of its context.
const slice = 50 * time.Millisecond
