package ownership

// decodePlain reads a record as nearly all are written, without the machinery that
// takes any JSON. It goes through the one valid encoding from the left, byte for byte:
// each is either one that encode writes there, or of a value that can be spelled in no
// other way. So whatever it accepts, and that is valid, is the encoding of what it
// returns (I1). What it leaves to others is not wrong: texts with escapes or beyond
// ASCII, survivors, no owner.
func decodePlain(b []byte) (r Record, ok bool) {
	p := &plain{string(b), true}
	p.word("{\n  \"key\": ")
	r.Key = nullable(p, p.text)
	p.word(",\n  \"keyDigest\": ")
	p.hex(r.KeyDigest[:])
	p.word(",\n  \"generation\": ")
	r.Generation = Generation(p.number())
	p.word(",\n  \"previousRevision\": ")
	r.PreviousRevision = nullable(p, p.revision)
	p.word(",\n  \"state\": ")
	r.State = RecordState(p.text())
	p.word(",\n  \"release\": ")
	r.Release = nullable(p, func() Release { return Release(p.text()) })
	p.word(",\n  \"owner\": ")
	owner := p.owner()
	r.Owner = &owner
	p.word(",\n  \"session\": ")
	r.Session = p.session()
	p.word(",\n  \"lastForcedRecovery\": ")
	r.LastForcedRecovery = nullable(p, p.forcedRecovery)
	p.word("\n}\n")
	return r, p.ok && p.rest == ""
}

func (p *plain) owner() (o Owner) {
	p.word("{\n    \"kind\": ")
	o.Kind = p.text()
	p.word(",\n    \"operationId\": ")
	o.OperationID = p.operation()
	p.word(",\n    \"user\": ")
	o.User = p.text()
	p.word(",\n    \"host\": ")
	o.Host = p.text()
	p.word(",\n    \"hostId\": ")
	o.HostID = nullable(p, p.digest)
	p.word(",\n    \"bootId\": ")
	o.BootID = nullable(p, p.text)
	p.word(",\n    \"pidNamespace\": ")
	o.PIDNamespace = nullable(p, p.number)
	p.word(",\n    \"pid\": ")
	o.PID = p.pid()
	p.word(",\n    \"startTicks\": ")
	o.StartTicks = nullable(p, p.number)
	p.word(",\n    \"program\": ")
	o.Program = p.text()
	p.word(",\n    \"acquiredAt\": ")
	o.AcquiredAt = p.timestamp()
	p.word("\n  }")
	return o
}

func (p *plain) session() (s Session) {
	p.word("{\n    \"runtime\": ")
	s.Runtime = nullable(p, p.runtime)
	p.word(",\n    \"resume\": ")
	s.Resume = nullable(p, p.text)
	p.word(",\n    \"worktree\": ")
	s.Worktree = nullable(p, p.text)
	p.word(",\n    \"transcript\": ")
	s.Transcript = nullable(p, p.text)
	p.word(",\n    \"tracker\": ")
	s.Tracker = nullable(p, p.text)
	p.word("\n  }")
	return s
}

func (p *plain) runtime() (r Runtime) {
	p.word("{\n      \"kind\": ")
	r.Kind = p.text()
	p.word(",\n      \"handle\": ")
	r.Handle = p.text()
	p.word("\n    }")
	return r
}

func (p *plain) forcedRecovery() (m ForcedRecovery) {
	p.word("{\n    \"previousRevision\": ")
	m.PreviousRevision = p.revision()
	p.word(",\n    \"displacedOperationId\": ")
	m.DisplacedOperationID = nullable(p, p.operation)
	p.word(",\n    \"displacedGeneration\": ")
	m.DisplacedGeneration = nullable(p, func() Generation { return Generation(p.number()) })
	p.word(",\n    \"recoveredAt\": ")
	m.RecoveredAt = p.timestamp()
	p.word(",\n    \"actor\": ")
	m.Actor = p.text()
	p.word(",\n    \"reason\": ")
	m.Reason = p.text()
	p.word(",\n    \"liveness\": ")
	m.Liveness = Verdict(p.text())
	p.word(",\n    \"survivors\": []")
	m.Survivors = []Survivor{}
	p.word(",\n    \"cleanup\": ")
	m.Cleanup = Cleanup(p.text())
	p.word(",\n    \"outcome\": ")
	m.Outcome = Outcome(p.text())
	p.word(",\n    \"evidence\": ")
	m.Evidence = nullable(p, p.text)
	p.word("\n  }")
	return m
}
