package ownership

// decodePlain reads a record as nearly all are written, without the machinery that
// takes any JSON. What it leaves to others is not wrong: texts with escapes or beyond
// ASCII, survivors, no owner.
func decodePlain(b []byte) (r Record, ok bool) {
	p := &plain{rest: string(b), ok: true}
	p.record(&r)
	return r, p.ok && p.rest == ""
}

// encodePlain writes what decodePlain reads, without the machinery that writes any
// JSON: it would first have to find out what a record is made of, in every process.
func encodePlain(r Record) (b []byte, ok bool) {
	p := &plain{writing: true, ok: true, written: make([]byte, 0, 1<<10)}
	p.record(&r)
	return p.written, p.ok
}

// record goes through the one valid encoding from the left, byte for byte: each is
// either one that stands there in every record, or of a value that can be spelled in no
// other way. So whatever is read this way, and is valid, is the encoding of what it was
// read as (I1).
func (p *plain) record(r *Record) {
	p.word("{\n  \"key\": ")
	nullable(p, &r.Key, p.text)
	p.word(",\n  \"keyDigest\": ")
	p.hex(r.KeyDigest[:])
	p.word(",\n  \"generation\": ")
	p.generation(&r.Generation)
	p.word(",\n  \"previousRevision\": ")
	nullable(p, &r.PreviousRevision, p.revision)
	p.word(",\n  \"state\": ")
	p.text((*string)(&r.State))
	p.word(",\n  \"release\": ")
	nullable(p, &r.Release, func(how *Release) { p.text((*string)(how)) })
	p.word(",\n  \"owner\": ")
	p.someOwner(&r.Owner)
	p.word(",\n  \"session\": ")
	p.session(&r.Session)
	p.word(",\n  \"lastForcedRecovery\": ")
	nullable(p, &r.LastForcedRecovery, p.forcedRecovery)
	p.word("\n}\n")
}

// someOwner is there in every record but those that a quarantine publishes.
func (p *plain) someOwner(o **Owner) {
	switch {
	case !p.writing:
		*o = new(Owner)
	case *o == nil:
		p.ok = false
		return
	}
	p.owner(*o)
}

func (p *plain) owner(o *Owner) {
	p.word("{\n    \"kind\": ")
	p.text(&o.Kind)
	p.word(",\n    \"operationId\": ")
	p.operation(&o.OperationID)
	p.word(",\n    \"user\": ")
	p.text(&o.User)
	p.word(",\n    \"host\": ")
	p.text(&o.Host)
	p.word(",\n    \"hostId\": ")
	nullable(p, &o.HostID, p.digest)
	p.word(",\n    \"bootId\": ")
	nullable(p, &o.BootID, p.text)
	p.word(",\n    \"pidNamespace\": ")
	nullable(p, &o.PIDNamespace, p.number)
	p.word(",\n    \"pid\": ")
	p.pid(&o.PID)
	p.word(",\n    \"startTicks\": ")
	nullable(p, &o.StartTicks, p.number)
	p.word(",\n    \"program\": ")
	p.text(&o.Program)
	p.word(",\n    \"acquiredAt\": ")
	p.timestamp(&o.AcquiredAt)
	p.word("\n  }")
}

func (p *plain) session(s *Session) {
	p.word("{\n    \"runtime\": ")
	nullable(p, &s.Runtime, p.runtime)
	p.word(",\n    \"resume\": ")
	nullable(p, &s.Resume, p.text)
	p.word(",\n    \"worktree\": ")
	nullable(p, &s.Worktree, p.text)
	p.word(",\n    \"transcript\": ")
	nullable(p, &s.Transcript, p.text)
	p.word(",\n    \"tracker\": ")
	nullable(p, &s.Tracker, p.text)
	p.word("\n  }")
}

func (p *plain) runtime(r *Runtime) {
	p.word("{\n      \"kind\": ")
	p.text(&r.Kind)
	p.word(",\n      \"handle\": ")
	p.text(&r.Handle)
	p.word("\n    }")
}

func (p *plain) forcedRecovery(m *ForcedRecovery) {
	p.word("{\n    \"previousRevision\": ")
	p.revision(&m.PreviousRevision)
	p.word(",\n    \"displacedOperationId\": ")
	nullable(p, &m.DisplacedOperationID, p.operation)
	p.word(",\n    \"displacedGeneration\": ")
	nullable(p, &m.DisplacedGeneration, p.generation)
	p.word(",\n    \"recoveredAt\": ")
	p.timestamp(&m.RecoveredAt)
	p.word(",\n    \"actor\": ")
	p.text(&m.Actor)
	p.word(",\n    \"reason\": ")
	p.text(&m.Reason)
	p.word(",\n    \"liveness\": ")
	p.text((*string)(&m.Liveness))
	p.word(",\n    \"survivors\": ")
	p.nobody(&m.Survivors)
	p.word(",\n    \"cleanup\": ")
	p.text((*string)(&m.Cleanup))
	p.word(",\n    \"outcome\": ")
	p.text((*string)(&m.Outcome))
	p.word(",\n    \"evidence\": ")
	nullable(p, &m.Evidence, p.text)
	p.word("\n  }")
}
