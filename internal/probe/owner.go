package probe

import (
	"context"

	"holdfast/internal/procid"
	"holdfast/ownership"
)

// scanner is shared, so that looking at thousands of stranded sessions at once costs a
// few passes over /proc and not one each.
var scanner procid.Scanner

// answer is what one trace came to.
type answer struct {
	lines []ownership.Evidence
	clear bool
}

// Owner looks for the traces of the owner of an active record: its process, what it
// started, and its runtime, in this order. It reports clear only when each of them is
// certainly gone; a failure to ask, or a ctx that ends, is an evidence line and not
// clear. The owner's process is no sign of life when it abandoned this generation,
// which only its own pulse can say.
func Owner(ctx context.Context, r ownership.Record, abandoned bool) (evidence []ownership.Evidence, clear bool) {
	clear = true
	for _, a := range append(processes(ctx, *r.Owner, abandoned), runtime(ctx, r)) {
		evidence = append(evidence, a.lines...)
		clear = clear && a.clear
	}
	return evidence, clear
}

// processes looks for the owner's process and for what it started. Where /proc numbers
// processes as the owner did, one look that begins now serves both, and whoever else asks
// before it begins. Elsewhere the owner is looked for first: what it starts before it is
// found gone, the look sees.
func processes(ctx context.Context, o ownership.Owner, abandoned bool) []answer {
	elsewhere := !same(o.PIDNamespace, procid.ThisHost().PIDNamespace)
	var owner answer
	if elsewhere {
		owner = ownerProcess(o, abandoned)
	}
	scan, err := scanner.Next(ctx)
	switch {
	case err != nil && !elsewhere:
		owner = ownerProcess(o, abandoned)
	case err == nil && !elsewhere:
		owner = ownerIn(scan, o, abandoned)
	}
	return []answer{owner, descendants(scan, err, o)}
}

func line(probe string, f ownership.Finding, detail string) ownership.Evidence {
	return ownership.Evidence{Probe: probe, Finding: f, Detail: detail}
}

// one is an answer of one line. Only absence is clear.
func one(probe string, f ownership.Finding, detail string) answer {
	return answer{[]ownership.Evidence{line(probe, f, detail)}, f == ownership.Absent}
}
