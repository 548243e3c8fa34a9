package admin

import (
	"context"
	"fmt"

	"holdfast/lease"
	"holdfast/ownership"
)

// maxLookBack bounds how much history a refusal reads to say what a stale revision
// was.
const maxLookBack = 100

// refuseMismatch refuses a revision that is not the one of the bytes just read, and
// says what those are (I10) and who wrote them.
func refuseMismatch(ctx context.Context, s lease.Store, i lease.Inspection, expect ownership.Revision) error {
	msg := fmt.Sprintf("session %s has revision %s, not the expected %s%s; %s",
		i.Name(), i.Stored.Revision, expect, wasOnce(ctx, s, i.KeyDigest, expect), whoChanged(i))
	return refuse(ctx, s, i, ownership.ReasonRevisionMismatch, msg)
}

// wasOnce says which earlier record a revision belongs to, if that can be found.
func wasOnce(ctx context.Context, s lease.Store, d ownership.Digest, revision ownership.Revision) string {
	seen := 0
	for past, err := range s.Past(ctx, d) {
		if seen++; err != nil || seen > maxLookBack {
			break
		}
		if past.Revision != revision {
			continue
		}
		if r := past.Reading(d).Record; r != nil {
			return fmt.Sprintf(" (an earlier record, of generation %d)", r.Generation)
		}
		return " (an earlier record)"
	}
	return ""
}

// whoChanged says who made the session what it is.
func whoChanged(i lease.Inspection) string {
	r := i.Record
	switch {
	case i.Fault != nil:
		return "what is there now is no record: " + i.Fault.Error()
	case r == nil:
		return "nobody ever acquired it"
	case r.Release != nil && *r.Release == ownership.ReleaseForced:
		return "it " + recovered(*r.LastForcedRecovery)
	case r.State == ownership.RecordIdle:
		return fmt.Sprintf("generation %d was released by its owner, %s", r.Generation, ownerOf(*r.Owner))
	default:
		return fmt.Sprintf("generation %d was acquired by %s", r.Generation, ownerOf(*r.Owner))
	}
}

func ownerOf(o ownership.Owner) string {
	return fmt.Sprintf("%q (%s, pid %d, %s on %s) at %s", o.Program, o.Kind, o.PID, o.User, o.Host, o.AcquiredAt)
}

func recovered(m ownership.ForcedRecovery) string {
	return fmt.Sprintf("was recovered by %q at %s", m.Actor, m.RecoveredAt)
}

// refuseEnded refuses a session that has no owner to displace. Where a recovery of
// the expected revision made it so, the way to its receipt comes first.
func refuseEnded(ctx context.Context, s lease.Store, i lease.Inspection, expect ownership.Revision) error {
	msg := fmt.Sprintf("session %s is %s, there is nothing to recover; %s", i.Name(), i.State, whoChanged(i))
	if m := earlier(i.Record, expect); m != nil && !recoveredFrom(i.Record, expect) {
		msg += "; the expected revision " + recovered(*m) + " and the session was used again since"
	}
	refusal := refuse(ctx, s, i, ownership.ReasonNothingToRecover, msg)
	next := []lease.Next{LookAgain(i, "see what it is now")}
	if recoveredFrom(i.Record, expect) {
		next = append([]lease.Next{receiptAgain(i, expect)}, next...)
	}
	refusal.Inspection.Next = append(next, refusal.Inspection.Next...)
	return refusal
}

// earlier returns the marker of the latest recovery if it displaced that revision.
func earlier(r *ownership.Record, revision ownership.Revision) *ownership.ForcedRecovery {
	if r == nil || r.LastForcedRecovery == nil || r.LastForcedRecovery.PreviousRevision != revision {
		return nil
	}
	return r.LastForcedRecovery
}

func receiptAgain(i lease.Inspection, expect ownership.Revision) lease.Next {
	r := Recovery{Expect: expect, Consent: Force}
	return lease.Next{Why: "get the receipt of that recovery again", Argv: r.argv(i), ChangesState: false}
}
