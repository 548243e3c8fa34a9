package admin

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"holdfast/internal/probe"
	"holdfast/lease"
	"holdfast/ownership"
)

// ForceRequired is the refusal of a recovery that the person has not agreed to. It
// unwraps to a [*lease.Refusal]. No byte was changed (I8).
type ForceRequired struct {
	Refusal *lease.Refusal
	Preview Preview
}

func (e *ForceRequired) Error() string { return e.Refusal.Error() }

// Unwrap returns the refusal.
func (e *ForceRequired) Unwrap() error { return e.Refusal }

// Preview is what a forced recovery would do, and what should be known before.
type Preview struct {
	Owner      *ownership.Owner     `json:"owner"` // who would be displaced; nil where the bytes are unreadable
	Evidence   []ownership.Evidence `json:"evidence"`
	WorkAtRisk []Work               `json:"workAtRisk"`
	Suspects   []probe.Suspect      `json:"suspects"` // who may belong to the owner; proves nothing
	Snapshot   *Planned             `json:"snapshot"` // what would be saved first; nil for nothing
	Effect     Effect               `json:"effect"`
	Command    []string             `json:"command"` // does it
}

// Effect is the record that a forced recovery would write, but for the moment.
type Effect struct {
	State            ownership.RecordState `json:"state"`
	Release          ownership.Release     `json:"release"`
	Generation       ownership.Generation  `json:"generation"`
	PreviousRevision ownership.Revision    `json:"previousRevision"`
	Actor            string                `json:"actor"`
	Reason           string                `json:"reason"`
	Liveness         ownership.Verdict     `json:"liveness"` // as the marker would say
	Survivors        []ownership.Survivor  `json:"survivors"`
	Cleanup          ownership.Cleanup     `json:"cleanup"`
	Outcome          ownership.Outcome     `json:"outcome"`
	Settled          *Settled              `json:"settled"` // how the outcome comes about; nil where nobody is known to have owned the session
	Kept             []string              `json:"kept"`    // what stays as it is
}

// refuseUnforced refuses what the person has not agreed to, with the preview of what
// it would do.
func (q request) refuseUnforced(ctx context.Context, a attempt, d displacement) error {
	full := q.Recovery
	full.Consent |= d.needs
	if q.saved != nil {
		full.Saving.Dir = "" // it is in use now
	}
	do := full.forced(a.seen)
	refusal := refuse(ctx, q.store, a.seen, ownership.ReasonForceRequired, q.missing(a, d))
	refusal.Inspection.Next = []lease.Next{do, LookAgain(a.seen, "look again first")}
	return &ForceRequired{Refusal: refusal, Preview: q.preview(ctx, a, d, do.Argv)}
}

// missing says what the recovery still needs.
func (q request) missing(a attempt, d displacement) string {
	flags := (d.needs &^ q.Consent).flags()
	msg := fmt.Sprintf("recovery of session %s needs %s", a.seen.Name(), strings.Join(flags, " "))
	if len(q.moved()) > 0 {
		msg += "; somebody may still be writing: files changed while their snapshot was taken, which is kept in " + q.saved.Dir
	}
	return msg
}

func (q request) preview(ctx context.Context, a attempt, d displacement, command []string) Preview {
	p := Preview{
		Owner:      a.record.Owner,
		Evidence:   append(evidenceOf(a.seen), d.doubts...),
		WorkAtRisk: workAtRisk(ctx, a.record.Session),
		Snapshot:   q.planned(a.seen),
		Effect:     effectOf(a),
		Command:    command,
	}
	var err error
	if p.Suspects, err = probe.Suspects(ctx, a.record); err != nil {
		p.Evidence = append(p.Evidence, unknown("suspects", err))
	}
	if p.Suspects == nil {
		p.Suspects = []probe.Suspect{}
	}
	return p
}

func evidenceOf(i lease.Inspection) []ownership.Evidence {
	if i.Liveness != nil {
		return slices.Clone(i.Liveness.Evidence)
	}
	return []ownership.Evidence{
		{Probe: "record", Finding: ownership.Unknown, Detail: i.Fault.Error()},
		{Probe: "locks", Finding: ownership.Absent, Detail: "no lock of any generation is held"},
	}
}

func effectOf(a attempt) Effect {
	m := a.record.LastForcedRecovery
	return Effect{
		State:            a.record.State,
		Release:          *a.record.Release,
		Generation:       a.record.Generation,
		PreviousRevision: m.PreviousRevision,
		Actor:            m.Actor,
		Reason:           m.Reason,
		Liveness:         m.Liveness,
		Survivors:        m.Survivors,
		Cleanup:          m.Cleanup,
		Outcome:          m.Outcome,
		Settled:          a.settled,
		Kept:             kept(a),
	}
}

// kept lists what a recovery leaves as it is.
func kept(a attempt) []string {
	if a.seen.Fault != nil {
		return []string{"the bytes that are no record, in the store's quarantine"}
	}
	all := []string{"every earlier record"}
	s := a.record.Session
	if s.Runtime != nil {
		all = append(all, "runtime "+s.Runtime.String())
	}
	for _, fact := range []struct {
		name  string
		value *string
	}{{"resume command", s.Resume}, {"worktree", s.Worktree}, {"transcript", s.Transcript}, {"tracker", s.Tracker}} {
		if fact.value != nil {
			all = append(all, fact.name+" "+*fact.value)
		}
	}
	return all
}
