package lease

import (
	"fmt"

	"holdfast/ownership"
)

// Name returns how a message names the session: its key, quoted, or its digest.
func (i Inspection) Name() string {
	if i.Key != nil {
		return fmt.Sprintf("%q", *i.Key)
	}
	return i.KeyDigest.String()
}

// named shows the key that the caller typed where the record does not keep it.
func (i *Inspection) named(k ownership.Key) {
	if i.Key == nil {
		name := k.String()
		i.Key = &name
	}
}

// Summary says in one line what the session is and who made it so.
func (i Inspection) Summary() string {
	return fmt.Sprintf("session %s is %s", i.Name(), i.predicate())
}

func (i Inspection) predicate() string {
	switch i.State {
	case ownership.StateHeld:
		if i.survived() {
			return "held by what is left of " + i.owner() + ", which itself is gone"
		}
		return "held by " + i.owner()
	case ownership.StateStranded:
		return "stranded: " + i.owner() + " is gone and never acknowledged that its work had stopped"
	case ownership.StateUnproven:
		return "unproven: whether " + i.owner() + " is gone cannot be told from here"
	case ownership.StateUnreadable:
		return "unreadable: " + i.Fault.Error()
	default:
		return string(i.State)
	}
}

func (i Inspection) owner() string {
	o := i.Record.Owner
	return fmt.Sprintf("%q (%s, pid %d, %s on %s, since %s)", o.Program, o.Kind, o.PID, o.User, o.Host, o.AcquiredAt)
}

// survived reports whether the owner itself is known to have let go, and only its
// descendants hold the session. A life lock that could not be asked proves nothing.
func (i Inspection) survived() bool {
	lines := i.Liveness.Evidence
	return i.Liveness.Held == ownership.KinLock && len(lines) > 0 && lines[0].Finding == ownership.Absent
}
