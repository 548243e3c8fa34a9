package admin

import (
	"context"
	"iter"
	system "runtime"
	"slices"
	"sync"
	"time"

	"holdfast/internal/procid"
	"holdfast/lease"
	"holdfast/ownership"
)

// betweenLooks is how long a living worker is given to show progress. It is well above
// the clock tick in which processor time is told.
const betweenLooks = 250 * time.Millisecond

// Classified is an inspection with its class and what that rests on. Its JSON is what
// the command line prints.
type Classified struct {
	lease.Inspection                      // Class is set, unless the session has none
	ClassEvidence    []ownership.Evidence `json:"classEvidence"`
	WorkAtRisk       []Work               `json:"workAtRisk"` // nil where it was not looked into
}

// Classify looks closer at the session of an inspection: twice at a worker that lives,
// and into the work that the record names. It changes nothing. What cannot be found out
// is said in an evidence line or in the work's detail.
func Classify(ctx context.Context, s lease.Store, i lease.Inspection) Classified {
	c := []Classified{{Inspection: i}}
	classify(ctx, s, c, LooksIntoWork)
	return c[0]
}

// LooksIntoWork reports whether [Classify] looks into the work that the record names:
// that may take long, and has something to clear away when it is interrupted.
func LooksIntoWork(i lease.Inspection) bool { return isOwned(i) && namesWork(i) }

// classify classifies many sessions with one pause and one look at the processes for
// all of them. Work is looked into where counts says so.
func classify(ctx context.Context, s lease.Store, all []Classified, counts func(lease.Inspection) bool) {
	var counted sync.WaitGroup
	if slices.ContainsFunc(all, func(c Classified) bool { return counts(c.Inspection) }) {
		counted.Go(func() { countWork(ctx, all, counts) })
	}
	seen := lookTwice(ctx, s, all)
	counted.Wait()
	for n := range all {
		c := &all[n]
		c.ClassEvidence = []ownership.Evidence{}
		if class := string(classOf(c.Inspection, seen[n], c.WorkAtRisk)); class != "" {
			c.Class = &class
			c.ClassEvidence = slices.Concat(ownerLines(c.Inspection), seen[n].lines, workLines(*c))
		}
	}
}

// countWork looks into the work of as many sessions at once as there are processors.
func countWork(ctx context.Context, all []Classified, counts func(lease.Inspection) bool) {
	var counting sync.WaitGroup
	room := make(chan struct{}, system.NumCPU())
	for n := range all {
		if c := &all[n]; counts(c.Inspection) {
			room <- struct{}{}
			counting.Go(func() {
				c.WorkAtRisk = workAtRisk(ctx, c.Record.Session)
				<-room
			})
		}
	}
	counting.Wait()
}

func isOwned(i lease.Inspection) bool {
	return i.Record != nil && i.Record.State == ownership.RecordActive
}

// lookTwice returns what was seen of each session; nothing of those in which nobody can
// live.
func lookTwice(ctx context.Context, s lease.Store, all []Classified) []vitals {
	workers := workersOf(ctx, s, all)
	seen := make([]vitals, len(all))
	if !slices.ContainsFunc(workers, func(w *worker) bool { return w != nil }) {
		return seen
	}
	before := glances(ctx, workers)
	wait(ctx, betweenLooks)
	after := glances(ctx, workers)
	for n, w := range workers {
		if w != nil {
			seen[n] = w.compare(before[n], after[n])
		}
	}
	return seen
}

func wait(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// workersOf returns nil for sessions in which nobody can live.
func workersOf(ctx context.Context, s lease.Store, all []Classified) []*worker {
	workers := make([]*worker, len(all))
	var scan *procid.Scan
	var unscanned error
	for n := range all {
		i := all[n].Inspection // and nothing else of it: the work is being counted meanwhile
		if !mayLive(i) {
			continue
		}
		if scan == nil && unscanned == nil {
			scan, unscanned = procid.ScanNow(ctx)
		}
		workers[n] = workerOf(s, i, scan, unscanned)
	}
	return workers
}

func mayLive(i lease.Inspection) bool {
	switch i.State {
	case ownership.StateHeld, ownership.StateUnproven:
		return true
	case ownership.StateUnreadable:
		return i.Liveness != nil && i.Liveness.Verdict == ownership.Alive
	}
	return false
}

// glances looks at many at once: each may have to ask tmux.
func glances(ctx context.Context, workers []*worker) []glance {
	seen := make([]glance, len(workers))
	var looking sync.WaitGroup
	room := make(chan struct{}, widthsHere().survey)
	for n, w := range workers {
		if w == nil {
			continue
		}
		room <- struct{}{}
		looking.Go(func() {
			seen[n] = w.glance(ctx)
			<-room
		})
	}
	looking.Wait()
	return seen
}

// ListWide is [List] with a closer look at each session that has an owner. Work is
// looked into only of those whose owner does not live. It takes as long as the slowest
// of them; rows come after that.
func ListWide(ctx context.Context, s lease.Store, states []ownership.State) iter.Seq2[WideRow, error] {
	return func(yield func(WideRow, error) bool) {
		var all []Classified
		var errs []error
		for found := range survey(ctx, s) {
			if found.err == nil && !wanted(found.State, states) {
				continue
			}
			all, errs = append(all, Classified{Inspection: found.Inspection}), append(errs, found.err)
		}
		classify(ctx, s, all, func(i lease.Inspection) bool { return isOwned(i) && i.State != ownership.StateHeld })
		for n, c := range all {
			row := WideRow{Row: rowOf(c.Inspection), Class: c.Class, ClassEvidence: c.ClassEvidence, WorkAtRisk: c.WorkAtRisk}
			if !yield(row, errs[n]) {
				return
			}
		}
	}
}

// WideRow is a row with what a closer look found.
type WideRow struct {
	Row
	Class         *string              `json:"class"` // nil where nobody is to be judged
	ClassEvidence []ownership.Evidence `json:"classEvidence"`
	WorkAtRisk    []Work               `json:"workAtRisk"` // nil where it was not looked into
}
