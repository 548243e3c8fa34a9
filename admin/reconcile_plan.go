package admin

import (
	"fmt"
	"strings"

	"holdfast/internal/probe"
	"holdfast/internal/procid"
	"holdfast/lease"
	"holdfast/ownership"
)

// facts is all that a pass decides on about one session.
type facts struct {
	seen     lease.Inspection
	began    procid.Moment // before seen
	runtime  runtimeFact
	namers   []namer         // other sessions whose records name the same runtime
	suspects []probe.Suspect // of a stranded session: processes that may be its agent's
	unseen   error           // why there may be other suspects
}

// runtimeState is what was found out about a runtime.
type runtimeState int

const (
	runtimeNone runtimeState = iota // none is recorded, or nothing depends on it
	runtimeGone
	runtimeAlive
	runtimeUnknown
)

type runtimeFact struct {
	state  runtimeState
	detail string
}

// namer is a session that names a runtime.
type namer struct {
	digest ownership.Digest
	name   string
	state  ownership.State
}

// decision is what is to be done about a session, and why.
type decision struct {
	action  ReconcileAction
	reason  string
	concern Concern
	needs   PassConsent // what would let the pass act
}

// routine, notable and waiting are decisions that change nothing.
func routine(a ReconcileAction, why string) decision { return decision{a, why, Routine, 0} }
func notable(a ReconcileAction, why string) decision { return decision{a, why, Notable, 0} }
func waiting(a ReconcileAction, why string) decision { return decision{a, why, Waiting, 0} }

// plan decides by facts alone. What is not certain is never acted on (I7).
func (f facts) plan() decision {
	switch f.seen.State {
	case ownership.StateHeld:
		return f.planHeld()
	case ownership.StateUnproven:
		return f.planUnproven()
	case ownership.StateStranded:
		return f.planStranded()
	case ownership.StateUnreadable:
		return waiting(ReconcileLeave, "its record cannot be read: "+f.seen.Fault.Error())
	default:
		return f.planIdle()
	}
}

func (f facts) planHeld() decision {
	if f.seen.Liveness.Held == ownership.KinLock {
		return notable(ReconcileAdopt, "its owner has ended, and what that started holds it")
	}
	return routine(ReconcileAdopt, "its owner holds it")
}

// planUnproven leaves an agent alone that lives on in its runtime: nothing but that
// speaks for it.
func (f facts) planUnproven() decision {
	var runtime string
	for _, e := range f.seen.Liveness.Evidence {
		switch {
		case e.Finding != ownership.Present:
		case e.Probe != "runtime":
			return f.blocked(whatWouldProve(f.seen))
		default:
			runtime = e.Detail
		}
	}
	if runtime == "" {
		return f.blocked(whatWouldProve(f.seen))
	}
	return f.planLivingRuntime(runtime)
}

// planLivingRuntime holds that a name may have gone to another session meanwhile.
func (f facts) planLivingRuntime(detail string) decision {
	if len(f.namers) > 0 {
		return f.blocked(detail + ", which " + namedBy(f.namers) + " too: whose it is cannot be told")
	}
	return notable(ReconcileLeave, "its host is gone, and its agent lives: "+detail)
}

func (f facts) blocked(why string) decision {
	return waiting(ReconcileBlocked, "whether its owner is gone cannot be told: "+why)
}

// planStranded asks for more than a person is asked for: nobody looks before a pass
// acts.
func (f facts) planStranded() decision {
	switch {
	case f.runtime.state == runtimeAlive:
		return f.planLivingRuntime(f.runtime.detail)
	case f.runtime.state == runtimeUnknown:
		return f.blocked(f.runtime.detail)
	case f.unseen != nil:
		return f.blocked("not all processes here could be looked at: " + f.unseen.Error())
	case len(f.suspects) > 0:
		return waiting(ReconcileBlocked, "its owner is gone, but these may be its agent's: "+inWords(f.suspects))
	}
	return decision{ReconcileRecover, "its owner is gone (" + f.whyGone() + ")", Notable, PassRecover}
}

// whyGone is what the verdict rests on: the kernel of this boot, or another boot.
func (f facts) whyGone() string {
	for _, e := range f.seen.Liveness.Evidence {
		if e.Probe == "boot" {
			return e.Detail
		}
	}
	return "no lock of it is held"
}

func (f facts) planIdle() decision {
	session := f.seen.Record.Session
	switch {
	case f.runtime.state == runtimeAlive && len(f.namers) > 0:
		return decision{ReconcileLeave, f.runtime.detail + ", which " + namedBy(f.namers) + " too", f.shared(), 0}
	case f.runtime.state == runtimeAlive:
		return decision{ReconcileReap, "nobody owns it, and its runtime lives: " + f.runtime.detail, Notable, PassRecover | PassReap}
	case f.runtime.state == runtimeUnknown:
		return routine(ReconcileLeave, "nobody owns it; "+f.runtime.detail)
	case session.Resume != nil:
		return notable(ReconcileRestorable, "nobody owns it, and it says how to resume it")
	}
	return routine(ReconcileLeave, "nobody owns it")
}

// shared is how much a living runtime matters to an idle session when others name it:
// nothing where one of them is in use.
func (f facts) shared() Concern {
	for _, n := range f.namers {
		if n.state != ownership.StateIdle {
			return Routine
		}
	}
	return Notable
}

// maxNamed bounds how many others a reason names.
const maxNamed = 5

func namedBy(namers []namer) string {
	var words []string
	for _, n := range namers[:min(len(namers), maxNamed)] {
		words = append(words, fmt.Sprintf("%s (%s)", n.name, n.state))
	}
	return listed(words, len(namers)) + " names"
}

func inWords(suspects []probe.Suspect) string {
	var words []string
	for _, s := range suspects[:min(len(suspects), maxNamed)] {
		words = append(words, fmt.Sprintf("%s (pid %d) %s", s.Program, s.PID, s.Why))
	}
	return listed(words, len(suspects))
}

func listed(words []string, of int) string {
	s := strings.Join(words, ", ")
	if more := of - len(words); more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}
