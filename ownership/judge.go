package ownership

// State is what a session is, as far as its record and its owner's liveness tell.
type State string

// The states. Everything that is not vacant or idle refuses an acquire.
const (
	StateVacant     State = "vacant"
	StateIdle       State = "idle"
	StateHeld       State = "held"
	StateStranded   State = "stranded"
	StateUnproven   State = "unproven"
	StateUnreadable State = "unreadable"
)

// States lists every state.
var States = []State{StateVacant, StateIdle, StateHeld, StateStranded, StateUnproven, StateUnreadable}

// Reading is what was found in the place of a record: nothing (the zero value), a
// record, or bytes that are none.
type Reading struct {
	Record *Record
	Fault  error // why it cannot be read as a record; Record is nil then
}

// NeedsProbe reports whether the state depends on the owner's liveness.
func (r Reading) NeedsProbe() bool {
	return r.Record != nil && r.Record.State == RecordActive
}

// Judge is the one function that knows which state a session is in. Acquire,
// inspect, list, recover and reconcile all call it, so that inspect predicts exactly
// what acquire would do. Liveness counts only where r.NeedsProbe.
func Judge(r Reading, v Verdict) State {
	switch {
	case r.Fault != nil:
		return StateUnreadable
	case r.Record == nil:
		return StateVacant
	case r.Record.State == RecordIdle:
		return StateIdle
	case v == Alive:
		return StateHeld
	case v == Gone:
		return StateStranded
	default:
		return StateUnproven
	}
}

// AcquireRefusal returns why an acquire in state s is refused, or "" where it is not.
func (s State) AcquireRefusal() Reason {
	switch s {
	case StateVacant, StateIdle:
		return ""
	case StateHeld:
		return ReasonActiveOwner
	case StateUnreadable:
		return ReasonUnreadableRecord
	default:
		return ReasonRecoveryRequired
	}
}

// RecoveryRefusal returns why no forced recovery is possible in state s, whatever
// the person consents to, or "" where one is possible (I7).
func (s State) RecoveryRefusal() Reason {
	switch s {
	case StateVacant, StateIdle:
		return ReasonNothingToRecover
	case StateHeld:
		return ReasonActiveOwner
	default:
		return ""
	}
}
