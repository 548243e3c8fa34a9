package cli

import (
	"fmt"

	"holdfast/admin"
)

// reconciled adds what a pass did about a session, or would do.
func (p *page) reconciled(r admin.Reconciled) {
	name := rowTitle(r.Key, r.KeyDigest)
	p.field(reconcileWord(r), fmt.Sprintf("%s (%s): %s", name, r.State, r.Reason))
	switch {
	case r.Receipt != nil:
		what := fmt.Sprintf("idle now, generation %d, outcome %s", r.Receipt.Generation, r.Receipt.Outcome)
		if s := r.Receipt.Settled; s != nil {
			what += ", " + decider(s.DecidedBy, s.Source)
		}
		p.field("", what)
		p.kept(r.Receipt.Snapshot)
	case r.Outcome != nil:
		p.field("", "outcome "+string(*r.Outcome))
	}
	if r.Resume != nil { // on one line, so that it can be copied
		p.line(indent + indent + p.ink.bold(escape(*r.Resume)))
	}
}

// reconcileWord says what was done where something was.
func reconcileWord(r admin.Reconciled) string {
	switch {
	case r.Receipt != nil:
		return "recovered"
	case r.Done:
		return "reaped"
	}
	return string(r.Action)
}
