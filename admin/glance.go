package admin

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"time"

	"holdfast/internal/probe"
	"holdfast/internal/procid"
	"holdfast/internal/tmux"
	"holdfast/lease"
	"holdfast/ownership"
)

// glance is one look at a living worker. What could not be seen is missing.
type glance struct {
	at         time.Time
	pulse      *lease.Pulse
	transcript fs.FileInfo
	cpu        map[procid.Process]time.Duration
	panes      []tmux.View
	screenless error // why there are no panes
}

// worker is whom two glances are at.
type worker struct {
	store      lease.Store
	digest     ownership.Digest
	record     *ownership.Record // nil where it is unreadable
	unlocked   bool              // nobody holds the owner's own lock
	scan       *procid.Scan      // nil where processes cannot be listed
	processes  []procid.Process
	unscanned  error // why processes may be missing
	transcript *string
	runtime    *ownership.Runtime
}

// workerOf gathers who may be working for a session: the recorded owner, the holders of
// its lock, all that descends from them, and who carries the owner's operation id. The
// caller itself is left out: a session can look at itself.
func workerOf(s lease.Store, i lease.Inspection, scan *procid.Scan, unscanned error) *worker {
	w := &worker{store: s, digest: i.KeyDigest, record: i.Record, scan: scan, unscanned: unscanned}
	if i.Liveness != nil {
		w.unlocked = i.Liveness.Held != ownership.LifeLock
		for _, p := range i.Liveness.Holders {
			w.add(procid.Process(p))
		}
	}
	if i.Record == nil {
		return w
	}
	w.transcript, w.runtime = i.Record.Session.Transcript, i.Record.Session.Runtime
	if o := i.Record.Owner; o != nil {
		w.addOwner(*o)
	}
	return w
}

func (w *worker) addOwner(o ownership.Owner) {
	if p, exists, err := procid.Exists(o.PIDNamespace, o.PID, o.StartTicks); err == nil && exists {
		w.add(p)
	}
	if w.scan != nil {
		for _, p := range w.scan.WithOperation(o.OperationID.String(), 0) {
			w.add(p)
		}
	}
}

func (w *worker) add(p procid.Process) {
	for _, p := range append(w.below(p.PID), p) {
		if p.PID != os.Getpid() {
			w.processes = append(w.processes, p)
		}
	}
}

func (w *worker) below(pid int) []procid.Process {
	if w.scan == nil {
		return nil
	}
	return w.scan.Descendants(pid)
}

// glance looks once.
func (w *worker) glance(ctx context.Context) glance {
	g := glance{at: time.Now(), cpu: map[procid.Process]time.Duration{}}
	if w.record != nil {
		g.pulse = w.pulse(ctx)
	}
	if w.transcript != nil {
		if info, err := os.Lstat(*w.transcript); err == nil && info.Mode().IsRegular() {
			g.transcript = info
		}
	}
	if w.runtime != nil && w.runtime.Kind == probe.KindTmux {
		g.panes, g.screenless = tmux.Views(ctx, w.runtime.Handle)
	}
	for _, p := range append(w.inPanes(g.panes), w.processes...) {
		if used, ok := procid.CPUTime(p); ok {
			g.cpu[p] = used
		}
	}
	return g
}

// inPanes lists what runs below what was started in each pane.
func (w *worker) inPanes(panes []tmux.View) (all []procid.Process) {
	for _, p := range panes {
		all = append(all, w.below(p.PID)...)
	}
	return all
}

// pulse is nil unless it is of the generation in force.
func (w *worker) pulse(ctx context.Context) *lease.Pulse {
	p, err := lease.ReadPulse(ctx, w.store, w.digest)
	if err != nil || p == nil || p.Generation != w.record.Generation {
		return nil
	}
	return p
}

// compare says what happened between two glances.
func (w *worker) compare(before, after glance) vitals {
	var v vitals
	v.comparePulse(before.pulse, after.pulse, w.unlocked)
	v.compareTranscript(before, after)
	v.comparePanes(before, after, w)
	v.compareCPU(before, after, w)
	if w.unscanned != nil {
		v.lines = append(v.lines, unknown("cpu time", w.unscanned))
	}
	return v
}

// whyUnseen says why nothing can be told of a worker whose lock is held.
func (w *worker) whyUnseen() string {
	if r := w.record; r != nil && r.Owner != nil && r.Owner.Host != procid.ThisHost().Name {
		return fmt.Sprintf("it runs on %q, and this is %q: its processes cannot be seen from here", r.Owner.Host, procid.ThisHost().Name)
	}
	return "no process of it can be seen from here"
}

// comparePulse takes the owner's word for what it is doing. That of an owner whose lock
// is free counts only if it was said between the looks.
func (v *vitals) comparePulse(before, after *lease.Pulse, unlocked bool) {
	if after == nil {
		return
	}
	renewed := before != nil && after.At.Time().After(before.At.Time())
	if unlocked && !renewed {
		return
	}
	switch after.Phase {
	case lease.PhaseWaitingInput, lease.PhaseIdle:
		v.waits = true
	case lease.PhaseWorking, lease.PhaseStopping:
		v.works = true
		v.writes = v.writes || renewed
	}
	v.add("pulse", ownership.Present, "its pulse says "+string(after.Phase))
}

func (v *vitals) compareTranscript(before, after glance) {
	was, is := before.transcript, after.transcript
	if was == nil || is == nil {
		return
	}
	within := after.at.Sub(before.at).Round(time.Millisecond)
	if was.Size() == is.Size() && was.ModTime().Equal(is.ModTime()) {
		v.add("transcript", ownership.Absent, fmt.Sprintf("nothing was written to it within %v", within))
		return
	}
	v.writes = true
	v.add("transcript", ownership.Present, fmt.Sprintf("it went from %d to %d bytes within %v", was.Size(), is.Size(), within))
}

// comparePanes finds a prompt only on a screen that stayed as it was.
func (v *vitals) comparePanes(before, after glance, w *worker) {
	if after.screenless != nil {
		v.lines = append(v.lines, unknown("screen", after.screenless))
	}
	was := map[string]string{}
	for _, p := range before.panes {
		was[p.Place] = p.Screen
	}
	v.atShell = len(after.panes) > 0
	for _, p := range after.panes {
		v.atShell = v.atShell && p.AtShell() && len(w.below(p.PID)) == 0
		line, prompts := p.Prompt()
		if screen, seen := was[p.Place]; !seen || screen != p.Screen || !prompts {
			continue
		}
		v.waits = true
		v.add("screen", ownership.Present, fmt.Sprintf("pane %s, in which %q runs, rests at %q", p.Place, p.Program, line))
	}
}

// compareCPU adds up what the worker's processes used between the looks.
func (v *vitals) compareCPU(before, after glance, w *worker) {
	if len(after.cpu) == 0 {
		if !w.unlocked {
			v.add("processes", ownership.Unknown, w.whyUnseen())
		}
		return
	}
	v.lives = after.pulse == nil || after.pulse.Phase != lease.PhaseAbandoned
	var used time.Duration
	for p, now := range after.cpu {
		if was, seen := before.cpu[p]; seen {
			used += now - was
		}
	}
	within := after.at.Sub(before.at).Round(time.Millisecond)
	finding := ownership.Absent
	if used > 0 {
		v.works, finding = true, ownership.Present
	}
	v.add("cpu time", finding, fmt.Sprintf("its processes (%d) used %v within %v", len(after.cpu), used, within))
}
