package probe

import (
	"fmt"
	"strings"

	"holdfast/internal/procid"
	"holdfast/ownership"
)

const descendantsProbe = "descendants"

// maxNamed bounds how many processes an evidence line names.
const maxNamed = 10

// descendants looks for processes that were given this operation's id.
func descendants(scan *procid.Scan, err error, o ownership.Owner) answer {
	if err != nil {
		return one(descendantsProbe, ownership.Unknown, fmt.Sprintf("cannot look at the processes here: %v", err))
	}
	var since uint64
	if o.StartTicks != nil {
		since = *o.StartTicks
	}
	a := carriers(scan.WithOperation(o.OperationID.String(), since))
	if scan.Hidden {
		a.lines = append(a.lines, line(descendantsProbe, ownership.Unknown, "there may be others: "+procid.ErrHidden.Error()))
		a.clear = false
	}
	if scan.Incomplete != nil {
		detail := fmt.Sprintf("not all processes here could be looked at: %v", scan.Incomplete)
		a.lines = append(a.lines, line(descendantsProbe, ownership.Unknown, detail))
		a.clear = false
	}
	if n := scan.EnvironUnreadable; n > 0 {
		// A line and no verdict: on any shared machine some environments may not be read.
		detail := fmt.Sprintf("processes here whose environment may not be read: %d", n)
		a.lines = append(a.lines, line(descendantsProbe, ownership.Unknown, detail))
	}
	return a
}

func carriers(found []procid.Process) answer {
	if len(found) == 0 {
		return one(descendantsProbe, ownership.Absent, "no process seen here carries its SESSION_OPERATION_ID")
	}
	return one(descendantsProbe, ownership.Present, "its SESSION_OPERATION_ID is carried by "+list(found))
}

func list(found []procid.Process) string {
	names := make([]string, 0, maxNamed)
	for _, p := range found[:min(len(found), maxNamed)] {
		names = append(names, name(p))
	}
	s := strings.Join(names, ", ")
	if more := len(found) - len(names); more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}
