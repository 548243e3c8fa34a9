package evidence

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"holdfast/internal/probe"
	"holdfast/internal/procid"
	"holdfast/ownership"
)

// keepProcesses writes processes.txt, for people. What cannot be found out stands in it.
func (t *taking) keepProcesses(ctx context.Context) error {
	var b strings.Builder
	b.WriteString("Processes that hold a lock of the session:\n")
	if l := t.inspection.Liveness; l != nil {
		for _, p := range l.Holders {
			process(&b, p.PID, p.StartTicks, p.Program, "")
		}
		fmt.Fprintf(&b, "  (%d in all)\n", len(l.Holders))
	} else {
		b.WriteString("  (not asked: it makes no difference in this state)\n")
	}
	if r := t.inspection.Record; r != nil && r.Owner != nil {
		writeStarted(ctx, &b, *r.Owner)
		writeSuspects(ctx, &b, *r)
	}
	return t.write("processes.txt", []byte(b.String()))
}

// writeStarted lists what the latest owner started, by the environment that it gave it.
func writeStarted(ctx context.Context, b *strings.Builder, o ownership.Owner) {
	fmt.Fprintf(b, "\nProcesses with SESSION_OPERATION_ID=%s in their environment:\n", o.OperationID)
	scan, err := procid.ScanNow(ctx)
	if err != nil {
		fmt.Fprintf(b, "  (could not be asked: %v)\n", err)
		return
	}
	found := scan.WithOperation(o.OperationID.String(), 0)
	for _, p := range found {
		process(b, p.PID, p.StartTicks, p.Program, "")
	}
	fmt.Fprintf(b, "  (%d in all; %d environments could not be read)\n", len(found), scan.EnvironUnreadable)
	if scan.Incomplete != nil {
		fmt.Fprintf(b, "  (there may be others: %v)\n", scan.Incomplete)
	}
}

// writeSuspects lists hints, which prove nothing.
func writeSuspects(ctx context.Context, b *strings.Builder, r ownership.Record) {
	b.WriteString("\nProcesses that may have to do with the session, which proves nothing:\n")
	found, err := probe.Suspects(ctx, r)
	for _, s := range found {
		process(b, s.PID, s.StartTicks, s.Program, s.Why)
	}
	fmt.Fprintf(b, "  (%d in all)\n", len(found))
	if err != nil {
		fmt.Fprintf(b, "  (not all could be asked: %v)\n", err)
	}
}

// process writes a line. A program chooses its own name, so that is quoted.
func process(b *strings.Builder, pid int, ticks uint64, program, why string) {
	fmt.Fprintf(b, "  pid %d, started at tick %d: %s", pid, ticks, strconv.Quote(program))
	if why != "" {
		b.WriteString(", " + why)
	}
	b.WriteByte('\n')
}
