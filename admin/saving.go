package admin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"holdfast/admin/evidence"
	"holdfast/lease"
	"holdfast/ownership"
)

// SnapshotChoice says what happens before a recovery to the work that the record
// names.
type SnapshotChoice uint8

// What can happen to it.
const (
	// SnapshotDefault saves a worktree and a tracker that the record names.
	SnapshotDefault SnapshotChoice = iota
	// SnapshotSkip saves nothing.
	SnapshotSkip
)

// Saving says how a recovery saves what is known of the session.
type Saving struct {
	Dir      string // for the snapshot, new or empty; "" is a new one below Below
	Below    string // absolute; "" is evidence.DefaultParent
	Accept   evidence.Acceptance
	Progress func(evidence.Progress) // called from one goroutine at a time; may be nil
	Taken    func(evidence.Taken)    // told of the snapshot once it is durable, whatever the recovery comes to; may be nil
}

func (s Saving) below() (string, error) {
	if s.Below != "" {
		return s.Below, nil
	}
	return evidence.DefaultParent()
}

// saves reports whether a recovery of what was seen begins with a snapshot.
func (r Recovery) saves(i lease.Inspection) bool {
	return r.Snapshot != SnapshotSkip && (namesWork(i) || r.Saving.Dir != "")
}

// owes reports whether the attempt has to wait for the snapshot: it is taken once, and
// for a replay none is.
func (q request) owes(a attempt) bool {
	return !a.replay && q.saved == nil && q.saves(a.seen)
}

// save takes the snapshot. The attempt is decided anew afterwards, since it can have
// taken minutes; the recovery's moment is after it.
func (q *request) save(ctx context.Context, a attempt) error {
	i := a.seen
	Explain(ctx, q.store, &i)
	i = Classify(ctx, q.store, i).Inspection
	taken, err := evidence.Take(ctx, q.store, i, evidence.Options{
		Out: q.Saving.Dir, Below: q.Saving.Below, Accept: q.Saving.Accept, Progress: q.Saving.Progress,
	})
	if err != nil {
		return q.refuseUnsaved(ctx, i, err)
	}
	if q.Saving.Taken != nil {
		q.Saving.Taken(*taken)
	}
	q.saved = taken
	if q.At.IsZero() {
		q.at = ownership.At(time.Now())
	}
	return nil
}

// refuseUnsaved refuses a recovery whose snapshot failed: what it would have kept may
// exist nowhere else.
func (q *request) refuseUnsaved(ctx context.Context, i lease.Inspection, err error) error {
	if context.Cause(ctx) != nil {
		err = fmt.Errorf("interrupted: %w", err)
		ctx = context.WithoutCancel(ctx)
	}
	msg := fmt.Sprintf("session %s was not recovered, since its work could not be saved first: %v", i.Name(), err)
	if next := evidence.NextStep(err, "--snapshot"); next != "" {
		msg += "; " + next
	}
	why := ownership.ReasonIO
	if errors.Is(err, fs.ErrPermission) {
		why = ownership.ReasonPermissionDenied
	}
	refusal := refuse(ctx, q.store, i, why, msg)
	without := q.Recovery
	without.Snapshot = SnapshotSkip
	refusal.Inspection.Next = []lease.Next{
		{Why: "recover without saving anything", Argv: without.argv(i), ChangesState: true},
		LookAgain(i, "look again first"),
	}
	return refusal
}

// moved returns a line for each thing that changed while the snapshot was taken:
// somebody may still be writing.
func (q request) moved() (lines []ownership.Evidence) {
	if q.saved == nil {
		return nil
	}
	for _, m := range q.saved.Snapshot.Moved {
		detail := fmt.Sprintf("%s changed while it was read: %s", m.Path, m.What)
		lines = append(lines, ownership.Evidence{Probe: "snapshot", Finding: ownership.Present, Detail: detail})
	}
	return lines
}

// doubted is what a displacement becomes by what the snapshot showed.
func (q request) doubted(d displacement) displacement {
	if lines := q.moved(); len(lines) > 0 {
		d.liveness = ownership.Unproven
		d.needs |= AcceptUnproven
		d.doubts = append(d.doubts, lines...)
	}
	return d
}

// manifest is what the marker keeps of the snapshot.
func (q request) manifest() *string {
	if q.saved == nil {
		return nil
	}
	return &q.saved.Manifest
}
