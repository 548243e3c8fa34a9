package ownership

import "fmt"

// Current is the record of a session as it was read, with the revision of its
// bytes. The zero value is a vacant session.
type Current struct {
	Record   *Record
	Revision Revision
}

// Claim is what an acquisition says of itself.
type Claim struct {
	Key     Key
	Private bool // keep only the key's digest
	Owner   Owner
	Facts   Facts
}

// Facts changes what a record says of its session, member by member: nil keeps what
// was there, an empty value clears it.
type Facts struct {
	Runtime    *Runtime
	Resume     *string
	Worktree   *string
	Transcript *string
	Tracker    *string
}

// Applied returns s with the facts written over it.
func (f Facts) Applied(s Session) Session {
	if f.Runtime != nil {
		s.Runtime = f.Runtime
		if *f.Runtime == (Runtime{}) {
			s.Runtime = nil
		}
	}
	s.Resume = change(s.Resume, f.Resume)
	s.Worktree = change(s.Worktree, f.Worktree)
	s.Transcript = change(s.Transcript, f.Transcript)
	s.Tracker = change(s.Tracker, f.Tracker)
	return s
}

func change(was, to *string) *string {
	switch {
	case to == nil:
		return was
	case *to == "":
		return nil
	}
	return to
}

// TransitionError is returned for a transition that the current record does not
// allow. Callers judge first, so meeting one is a defect.
type TransitionError struct{ Why string }

func (e *TransitionError) Error() string { return "no such transition: " + e.Why }

// NextGeneration returns the generation that the next acquisition or forced
// recovery of c gets (I2).
func (c Current) NextGeneration() (Generation, error) {
	if c.Record == nil {
		return 1, nil
	}
	if c.Record.Generation >= MaxGeneration {
		return 0, &TransitionError{fmt.Sprintf("generation %d is the last one", c.Record.Generation)}
	}
	return c.Record.Generation + 1, nil
}

// Acquire returns the active record that makes claim.Owner the owner of a vacant or
// idle session (I6).
func Acquire(c Current, claim Claim) (Record, error) {
	if c.Record != nil && c.Record.State != RecordIdle {
		return Record{}, &TransitionError{"acquire of an active session"}
	}
	next, err := c.NextGeneration()
	if err != nil {
		return Record{}, err
	}
	r := Record{KeyDigest: claim.Key.Digest(), Generation: next, State: RecordActive, Owner: &claim.Owner}
	if !claim.Private {
		name := claim.Key.String()
		r.Key = &name
	}
	if c.Record != nil {
		r.PreviousRevision = &c.Revision
		r.Session = c.Record.Session
		r.LastForcedRecovery = c.Record.LastForcedRecovery
	}
	r.Session = claim.Facts.Applied(r.Session)
	return r, nil
}

// Describe returns the active record with changed facts about the session. Its
// owner and generation stay.
func Describe(c Current, f Facts) (Record, error) {
	r, err := c.active("describe")
	if err != nil {
		return Record{}, err
	}
	r.PreviousRevision = &c.Revision
	r.Session = f.Applied(r.Session)
	return r, nil
}

// ReleaseAcknowledge returns the idle record by which an owner acknowledges that
// nothing it started can still touch the session (I5).
func ReleaseAcknowledge(c Current) (Record, error) {
	r, err := c.active("release")
	if err != nil {
		return Record{}, err
	}
	how := ReleaseAcknowledged
	r.PreviousRevision = &c.Revision
	r.State, r.Release = RecordIdle, &how
	return r, nil
}

// Force is what a person, or a pass acting for one, says when forcing.
type Force struct {
	At        Timestamp
	Actor     string
	Reason    string
	Liveness  Verdict
	Survivors []Survivor
	Outcome   Outcome // "" is unknown
	Evidence  *string
}

// Recover returns the idle record of the next generation that ends the ownership of
// an owner who can no longer prove anything. Session and history are kept (I6).
func Recover(c Current, f Force) (Record, error) {
	r, err := c.active("recovery")
	if err != nil {
		return Record{}, err
	}
	displaced := r.Generation
	next, err := c.NextGeneration()
	if err != nil {
		return Record{}, err
	}
	r.Generation = next
	marker := f.marker(c.Revision)
	marker.DisplacedOperationID, marker.DisplacedGeneration = &r.Owner.OperationID, &displaced
	return forced(r, marker), nil
}

// Quarantine returns the idle record without owner that is published over bytes
// that are no record. Generation must be above every one that was ever seen of the
// session (I2); displaced is the revision of the raw bytes.
func Quarantine(d Digest, displaced Revision, generation Generation, f Force) Record {
	return forced(Record{KeyDigest: d, Generation: generation}, f.marker(displaced))
}

func (f Force) marker(displaced Revision) *ForcedRecovery {
	m := &ForcedRecovery{
		PreviousRevision: displaced,
		RecoveredAt:      f.At,
		Actor:            f.Actor,
		Reason:           f.Reason,
		Liveness:         f.Liveness,
		Survivors:        append([]Survivor{}, f.Survivors...),
		Cleanup:          CleanupUnproved,
		Outcome:          f.Outcome,
		Evidence:         f.Evidence,
	}
	if m.Outcome == "" {
		m.Outcome = OutcomeUnknown
	}
	return m
}

func forced(r Record, m *ForcedRecovery) Record {
	how := ReleaseForced
	previous := m.PreviousRevision
	r.PreviousRevision, r.LastForcedRecovery = &previous, m
	r.State, r.Release = RecordIdle, &how
	return r
}

// active returns a copy of the record, or an error unless it is active.
func (c Current) active(what string) (Record, error) {
	if c.Record == nil || c.Record.State != RecordActive {
		return Record{}, &TransitionError{what + " of a session that is not active"}
	}
	return *c.Record, nil
}
