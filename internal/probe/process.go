package probe

import (
	"fmt"
	"strings"
	"time"

	"holdfast/internal/procid"
	"holdfast/ownership"
)

const ownerProbe = "owner process"

// ownerProcess looks for exactly the recorded process. An error is never a no, even of
// an owner that abandoned: a pid namespace that cannot be seen hides what was started
// there as well.
func ownerProcess(o ownership.Owner, abandoned bool) answer {
	p, exists, err := procid.Exists(o.PIDNamespace, o.PID, o.StartTicks)
	return ownerIs(found{p, exists, err}, o, abandoned)
}

// found is what a look for a process came to.
type found struct {
	process procid.Process
	exists  bool
	err     error
}

// ownerIn looks for it in a scan, which must be of its pid namespace.
func ownerIn(scan *procid.Scan, o ownership.Owner, abandoned bool) answer {
	p, exists, err := scan.Exists(o.PID, o.StartTicks)
	return ownerIs(found{p, exists, err}, o, abandoned)
}

func ownerIs(f found, o ownership.Owner, abandoned bool) answer {
	switch {
	case f.err != nil:
		return one(ownerProbe, ownership.Unknown, fmt.Sprintf("cannot tell whether %s still runs: %v", recorded(o), f.err))
	case !f.exists:
		return one(ownerProbe, ownership.Absent, recorded(o)+" has ended")
	case abandoned:
		a := one(ownerProbe, ownership.Present, stillRuns(o, f.process)+", but has abandoned this session")
		a.clear = true
		return a
	default:
		return one(ownerProbe, ownership.Present, stillRuns(o, f.process))
	}
}

// recorded names the process as its owner recorded it.
func recorded(o ownership.Owner) string {
	s := fmt.Sprintf("pid %d", o.PID)
	if o.StartTicks == nil {
		return s + " (start not recorded)"
	}
	started := startOf(procid.Process{StartTicks: *o.StartTicks})
	if started == "" {
		return s
	}
	return s + " (" + started + ")"
}

// stillRuns says so of the recorded process, with its number here where that differs.
func stillRuns(o ownership.Owner, p procid.Process) string {
	if p.PID == o.PID {
		return name(p) + " still runs"
	}
	return fmt.Sprintf("%s still runs; in its own pid namespace it is pid %d", name(p), o.PID)
}

// name is how a person finds the process: pid, program and start.
func name(p procid.Process) string {
	known := []string{}
	if p.Program != "" {
		known = append(known, p.Program)
	}
	if started := startOf(p); started != "" {
		known = append(known, started)
	}
	if len(known) == 0 {
		return fmt.Sprintf("pid %d", p.PID)
	}
	return fmt.Sprintf("pid %d (%s)", p.PID, strings.Join(known, ", "))
}

// startOf is empty where the start is unknown. It is cut to seconds: it is computed
// from the wall clock and differs by some milliseconds each time.
func startOf(p procid.Process) string {
	at := p.StartedAt()
	if at.IsZero() {
		return ""
	}
	return "started " + at.UTC().Format(time.DateTime) + " UTC"
}
