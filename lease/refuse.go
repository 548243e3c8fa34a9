package lease

import (
	"context"
	"fmt"
	"strings"

	"holdfast/ownership"
)

// refuse turns an inspection whose state refuses an acquire into the refusal.
func refuse(i Inspection, key ownership.Key) *Refusal {
	i.named(key)
	return &Refusal{Reason: i.State.AcquireRefusal(), Message: i.Summary(), Inspection: i}
}

// refuseClaimed refuses a session that somebody is acquiring or recovering at this
// moment: the life lock of the next generation is taken.
func refuseClaimed(ctx context.Context, s Store, i Inspection, key ownership.Key) *Refusal {
	i.named(key)
	msg := fmt.Sprintf("session %s is being acquired or recovered by %s at this moment", i.Name(), claimants(ctx, s, i))
	return &Refusal{Reason: ownership.ReasonActiveOwner, Message: msg, Inspection: i}
}

// claimants names who holds the life lock of the next generation, as far as it can be
// seen.
func claimants(ctx context.Context, s Store, i Inspection) string {
	next, err := i.Current().NextGeneration()
	if err != nil {
		return "somebody else"
	}
	holders, _ := s.Holders(ctx, i.KeyDigest, next, ownership.LifeLock) // what was seen counts
	if len(holders) == 0 {
		return "somebody else"
	}
	names := make([]string, len(holders))
	for n, p := range holders {
		names[n] = fmt.Sprintf("%q (pid %d)", p.Program, p.PID)
	}
	return strings.Join(names, ", ")
}

// refuseOccupied refuses a session that this very process is using.
func refuseOccupied(ctx context.Context, s Store, key ownership.Key) error {
	i, err := Inspect(ctx, s, key.Digest())
	if err != nil {
		return err
	}
	if i.State == ownership.StateHeld {
		return refuse(i, key)
	}
	i.named(key)
	msg := fmt.Sprintf("session %s is in use by this very process", i.Name())
	return &Refusal{Reason: ownership.ReasonActiveOwner, Message: msg, Inspection: i}
}

// WaitError is returned when a session was still held at the end of the wait.
type WaitError struct{ Refusal *Refusal }

func (e *WaitError) Error() string { return ErrWaitTimeout.Error() + ": " + e.Refusal.Message }

// Unwrap returns ErrWaitTimeout and the last refusal.
func (e *WaitError) Unwrap() []error { return []error{ErrWaitTimeout, e.Refusal} }
