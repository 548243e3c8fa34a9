package admin

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"holdfast/internal/probe"
	"holdfast/internal/procid"
	"holdfast/lease"
	"holdfast/ownership"
)

// doubts returns a line for each sign of the owner but the named survivors.
func (q request) doubts(ctx context.Context, i lease.Inspection) []ownership.Evidence {
	var lines []ownership.Evidence
	for _, line := range []*ownership.Evidence{
		ownerProcess(i),
		q.otherDescendants(ctx, *i.Record.Owner),
		runtime(ctx, *i.Record),
	} {
		if line != nil {
			lines = append(lines, *line)
		}
	}
	return lines
}

// ownerProcess looks for exactly the recorded process, unless it said itself that it
// left the session.
func ownerProcess(i lease.Inspection) *ownership.Evidence {
	if i.Pulse != nil && i.Pulse.Phase == lease.PhaseAbandoned {
		return nil
	}
	o := i.Record.Owner
	p, exists, err := procid.Exists(o.PIDNamespace, o.PID, o.StartTicks)
	return doubt("owner process", exists, processOf(p)+" still runs, though its lock is free", err)
}

// otherDescendants looks for processes that the owner started and nobody named.
func (q request) otherDescendants(ctx context.Context, o ownership.Owner) *ownership.Evidence {
	scan, err := procid.ScanNow(ctx)
	if err != nil {
		return doubt("descendants", false, "", err)
	}
	var since uint64
	if o.StartTicks != nil {
		since = *o.StartTicks
	}
	var others []ownership.Process
	for _, p := range scan.WithOperation(o.OperationID.String(), since) {
		if who := ownership.Process(p); !q.names(who) {
			others = append(others, who)
		}
	}
	unseen := scan.Incomplete
	if scan.Hidden {
		unseen = errors.Join(unseen, procid.ErrHidden)
	}
	return doubt("descendants", len(others) > 0, "its SESSION_OPERATION_ID is also carried by "+processes(others), unseen)
}

func runtime(ctx context.Context, r ownership.Record) *ownership.Evidence {
	alive, detail, err := probe.RuntimeOf(ctx, r)
	return doubt("runtime", alive, detail, err)
}

// doubt is the line for a sign of life that is there or could not be asked for.
func doubt(what string, present bool, detail string, err error) *ownership.Evidence {
	switch {
	case err != nil:
		line := unknown(what, err)
		return &line
	case present:
		return &ownership.Evidence{Probe: what, Finding: ownership.Present, Detail: detail}
	default:
		return nil
	}
}

func processOf(p procid.Process) string { return processes([]ownership.Process{ownership.Process(p)}) }

// processes names processes for a message.
func processes(all []ownership.Process) string {
	if len(all) == 0 {
		return "processes that cannot be seen from here"
	}
	words := make([]string, len(all))
	for n, p := range all {
		words[n] = fmt.Sprintf("%q (pid %d, start ticks %d)", p.Program, p.PID, p.StartTicks)
	}
	return strings.Join(words, ", ")
}
