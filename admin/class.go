package admin

import (
	"slices"

	"holdfast/lease"
	"holdfast/ownership"
)

// Class says in one letter what became of a session's worker. It decides nothing: the
// evidence lines beside it say what it rests on.
type Class string

// The classes.
const (
	ClassProgressing Class = "a" // alive, and signs of progress
	ClassWaiting     Class = "b" // alive, and waiting for input
	ClassAtRisk      Class = "c" // gone, and its work is nowhere else
	ClassNothingLost Class = "d" // gone, and nothing would be lost
	ClassMisrecorded Class = "e" // the records are wrong, and the worker lives
	ClassUnknown     Class = "u" // cannot be told
)

// classOf is the one function that knows the classes. Idle and vacant sessions have
// none: nobody is to be judged.
func classOf(i lease.Inspection, v vitals, work []Work) Class {
	switch i.State {
	case ownership.StateHeld:
		if i.Liveness.Held == ownership.KinLock {
			return ClassMisrecorded
		}
		return v.class()
	case ownership.StateStranded:
		return classOfLeft(work)
	case ownership.StateUnproven:
		if v.lives || runtimeLives(i.Liveness) && !v.atShell {
			return ClassMisrecorded
		}
	case ownership.StateUnreadable:
		if i.Liveness != nil && i.Liveness.Verdict == ownership.Alive {
			return ClassMisrecorded
		}
	case ownership.StateIdle, ownership.StateVacant:
		return ""
	}
	return ClassUnknown
}

func runtimeLives(l *ownership.Liveness) bool {
	return slices.ContainsFunc(l.Evidence, func(e ownership.Evidence) bool {
		return e.Probe == "runtime" && e.Finding == ownership.Present
	})
}

// classOfLeft tells what the worker left. What could not be counted may be work.
func classOfLeft(work []Work) Class {
	class := ClassNothingLost
	for _, w := range work {
		switch {
		case w.Kind != kindWorktree:
		case w.Counts == nil:
			return ClassUnknown
		case w.Counts.Any():
			class = ClassAtRisk
		}
	}
	return class
}

// ownerLines are what is known of the owner, as far as a class rests on it.
func ownerLines(i lease.Inspection) (lines []ownership.Evidence) {
	if i.Fault != nil {
		lines = append(lines, unknown("record", i.Fault))
	}
	switch {
	case i.State == ownership.StateStranded:
		return []ownership.Evidence{{Probe: "owner", Finding: ownership.Absent, Detail: "it is gone, by the evidence of its liveness"}}
	case i.Liveness != nil:
		for _, e := range i.Liveness.Evidence {
			if e.Finding != ownership.Absent {
				lines = append(lines, e)
			}
		}
	}
	return lines
}

// workLines are what the owner left, where that was looked into.
func workLines(c Classified) (lines []ownership.Evidence) {
	for _, w := range c.WorkAtRisk {
		line := ownership.Evidence{Probe: w.Kind, Finding: ownership.Absent, Detail: w.Path + ": " + w.Detail}
		switch {
		case w.Kind == kindTracker || w.Counts == nil:
			line.Finding = ownership.Unknown
		case w.Counts.Any():
			line.Finding = ownership.Present
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 && c.State == ownership.StateStranded {
		lines = append(lines, ownership.Evidence{Probe: kindWorktree, Finding: ownership.Absent, Detail: "the record names none"})
	}
	return lines
}

// Meaning says in words what a class is.
func (c Class) Meaning() string {
	return map[Class]string{
		ClassProgressing: "alive, with signs of progress",
		ClassWaiting:     "alive, waiting for input",
		ClassAtRisk:      "gone, work at risk",
		ClassNothingLost: "gone, nothing at risk",
		ClassMisrecorded: "alive, though not as the records have it",
		ClassUnknown:     "cannot be told",
	}[c]
}

// vitals is what two looks at a living worker showed.
type vitals struct {
	lives   bool // a process of it does
	atShell bool // nothing but a shell is left in the runtime
	// Of what moved between the looks, writing outweighs a prompt; processor time and
	// the owner's own word do not, since a screen can be redrawn for ever.
	writes, waits, works bool
	lines                []ownership.Evidence
}

func (v vitals) class() Class {
	switch {
	case v.writes:
		return ClassProgressing
	case v.waits:
		return ClassWaiting
	case v.works:
		return ClassProgressing
	}
	return ClassUnknown
}

func (v *vitals) add(probe string, finding ownership.Finding, detail string) {
	v.lines = append(v.lines, ownership.Evidence{Probe: probe, Finding: finding, Detail: detail})
}
