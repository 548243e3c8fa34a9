package check

import (
	"os"
	"path/filepath"

	"holdfast/ownership"
)

// follow walks from the record in force to the first one, and judges every step.
func (r *room) follow(at ownership.Revision) {
	seen := map[ownership.Revision]bool{}
	for {
		if seen[at] {
			r.add("I11", r.path, "revision %s comes twice in one history", at)
			return
		}
		seen[at] = true
		r.chain = append(r.chain, at)
		record := r.records[at]
		if record.PreviousRevision == nil {
			return
		}
		before, known := r.records[*record.PreviousRevision]
		if !known {
			r.brokenAt(at, *record.PreviousRevision, record)
			return
		}
		r.step(at, before, record)
		at = *record.PreviousRevision
	}
}

// brokenAt allows what a quarantine displaced: those bytes are in quarantine, whole.
func (r *room) brokenAt(at, missing ownership.Revision, record ownership.Record) {
	if record.Owner == nil {
		path := filepath.Join(r.dir, "quarantine", r.digest.String()+"."+missing.String())
		if _, err := os.Lstat(path); err != nil {
			r.add("I11", path, "what revision %s displaced is not there", at)
		}
		return
	}
	r.add("I11", r.path, "revision %s follows %s, which is nowhere", at, missing)
}

// step judges one change of ownership: I2, I3, I5, I6.
func (r *room) step(at ownership.Revision, before, after ownership.Record) {
	path := filepath.Join(r.path, "rev."+at.String()+".json")
	switch kind := kindOf(before, after); kind {
	case "":
		r.add("I6", path, "generation %d %s cannot follow generation %d %s", after.Generation, after.State, before.Generation, before.State)
	case "acquire", "recover", "quarantine":
		if after.Generation <= before.Generation || kind != "quarantine" && after.Generation != before.Generation+1 {
			r.add("I2", path, "%s goes from generation %d to %d", kind, before.Generation, after.Generation)
		}
	default:
		if after.Generation != before.Generation || after.Owner.OperationID != before.Owner.OperationID {
			r.add("I3", path, "%s of generation %d by an owner of generation %d", kind, before.Generation, after.Generation)
		}
	}
}

// kindOf names what leads from one record to the next; "" is nothing that exists.
func kindOf(before, after ownership.Record) string {
	active := after.State == ownership.RecordActive
	switch {
	case after.Owner == nil:
		return "quarantine"
	case before.State == ownership.RecordIdle && active:
		return "acquire"
	case before.State == ownership.RecordActive && active:
		return "describe"
	case before.State == ownership.RecordActive && *after.Release == ownership.ReleaseAcknowledged:
		return "release"
	case before.State == ownership.RecordActive:
		return "recover"
	}
	return ""
}

// compareWithTold holds that nothing that was told was lost or reordered, and that
// nothing is there that nobody did (I8, I9).
func (r *room) compareWithTold() {
	at := len(r.chain)
	position := map[ownership.Revision]int{}
	for i, revision := range r.chain {
		position[revision] = i
	}
	for _, revision := range r.told.Somewhen {
		if _, there := position[revision]; !there {
			r.add("I9", r.path, "revision %s was told to be in force and is not in the history of what is", revision)
		}
	}
	for _, revision := range r.told.Told {
		i, there := position[revision]
		switch {
		case !there:
			r.add("I9", r.path, "revision %s was told to be in force and is not in the history of what is", revision)
		case i >= at:
			r.add("I6", r.path, "revision %s was told later than what came after it", revision)
		default:
			at = i
		}
	}
	if extra := len(r.chain) - len(r.told.Told) - len(r.told.Somewhen); extra > r.told.Unanswered {
		r.add("I8", r.path, "%d records are in force that nobody was told of, and at most %d calls had no answer", extra, r.told.Unanswered)
	}
}
