package settle

import (
	"context"
	"errors"
	"fmt"

	"holdfast/lease"
	"holdfast/ownership"
)

// Session settles the latest execution of the session that was inspected. Transcript is
// the path of what its agent wrote; "" is the one that the record names. A session that
// is still held is refused with a [*lease.Refusal], since its execution has not ended,
// and so is one whose record cannot be read; one that changed meanwhile is an error that
// wraps lease.ErrConflict. Where nobody is known to have owned it, the outcome is
// unknown.
func Session(ctx context.Context, s lease.Store, i lease.Inspection, transcript string) (Outcome, error) {
	switch i.State {
	case ownership.StateUnreadable:
		return Outcome{}, &lease.Refusal{Reason: ownership.ReasonUnreadableRecord, Message: i.Summary(), Inspection: i}
	case ownership.StateHeld:
		msg := fmt.Sprintf("session %s is still held: nothing can be settled before its execution has ended", i.Name())
		return Outcome{}, &lease.Refusal{Reason: ownership.ReasonActiveOwner, Message: msg, Inspection: i}
	}
	e, known, err := Gather(ctx, s, i, transcript)
	if err != nil {
		return Outcome{}, err
	}
	if !known {
		return undecided(i, "no execution of it is known"), nil
	}
	if err := unchanged(ctx, s, i); err != nil {
		return Outcome{}, err
	}
	return Settle([]Execution{e})[0], nil
}

// unchanged makes sure that what was gathered is not of a later execution in part: the
// next owner empties the transcript.
func unchanged(ctx context.Context, s lease.Store, i lease.Inspection) error {
	stored, err := s.Load(ctx, i.KeyDigest)
	if err != nil || stored.Revision == i.Stored.Revision {
		return err
	}
	return &lease.StoreError{
		Kind: lease.ErrConflict, Op: "settle session " + i.Name(),
		Err: errors.New("its record was replaced meanwhile"), Advice: "look at the session again, and settle it anew",
	}
}

// OutcomeFor settles the execution that a forced recovery of the inspected session
// displaces. Its member Outcome is what the recovery's marker says
// ([ownership.Force]); the rest is for history and receipt. It never fails: where the
// store could not be asked, or nobody is known to have owned the session, the outcome
// is unknown, and a note says why.
func OutcomeFor(ctx context.Context, s lease.Store, i lease.Inspection) Outcome {
	e, known, err := Gather(ctx, s, i, "")
	switch {
	case err != nil:
		return undecided(i, "it was not settled: "+err.Error())
	case !known:
		return undecided(i, "no execution of it is known")
	}
	return Settle([]Execution{e})[0]
}

func undecided(i lease.Inspection, why string) Outcome {
	o := Outcome{Key: i.Key, KeyDigest: i.KeyDigest, Outcome: ownership.OutcomeUnknown, DecidedBy: DecidedByNone, Notes: []string{}}
	o.Reason = Cut(why, MaxReasonSize)
	return o
}

// Gather finds what there is about the latest execution that an inspection tells of,
// and reports whether it tells of one. It changes nothing (I8). A verdict or transcript
// that cannot be used becomes a note (I12); a verdict that could not be asked for is an
// error, since it may be there and decide.
func Gather(ctx context.Context, s lease.Store, i lease.Inspection, transcript string) (e Execution, known bool, err error) {
	e, known, err = GatherVerdict(ctx, s, i)
	if err != nil || !known {
		return e, known, err
	}
	if named := i.Record.Session.Transcript; transcript == "" && named != nil {
		transcript = *named
	}
	e.read(transcript)
	return e, true, nil
}

// GatherVerdict is Gather without a look at any transcript, for machines that must not
// read one: what it returns is for [SettleByVerdict].
func GatherVerdict(ctx context.Context, s lease.Store, i lease.Inspection) (e Execution, known bool, err error) {
	place, ok := PlaceOf(i.Record)
	if !ok {
		return Execution{}, false, nil
	}
	e = Execution{Key: i.Key, Place: place, AcquiredAt: i.Record.Owner.AcquiredAt}
	switch i.State {
	case ownership.StateUnproven:
		e.note("whether its owner is gone cannot be told from here")
	case ownership.StateHeld: // Session refuses it
		e.note("something that its owner started lives on")
	}
	kept, err := Read(ctx, s, i.KeyDigest)
	if err != nil {
		return Execution{}, false, err
	}
	e.Verdict = kept.Verdict
	if kept.Fault != nil {
		e.note(fmt.Sprintf("the verdict cannot be used: %v", kept.Fault))
	}
	return e, true, nil
}

// read adds the transcript at a path.
func (e *Execution) read(path string) {
	if path == "" {
		e.note("no transcript is named")
		return
	}
	t, err := ReadTranscript(path)
	if err != nil {
		e.note(fmt.Sprintf("the transcript %q cannot be used: %v", Cut(path, maxNoteSize/2), err))
		return
	}
	e.Transcript = &t
}

func (e *Execution) note(s string) { e.Notes = append(e.Notes, s) }
