package supervise

import (
	"fmt"
	"time"
)

// loseOwnership stops CMD and its group, whatever they are doing.
func (r *run) loseOwnership() {
	r.lost = nil
	r.result.Lost = true
	if r.LostGrace != nil {
		r.Grace = max(0, min(r.Grace, r.LostGrace()))
	}
	r.sweepGroup(time.Now())
}

// proceed does what is due, and sets the time of its next call.
func (r *run) proceed(now time.Time) {
	switch {
	case r.done || r.alive && r.sweep == nil:
	case r.childless:
		r.settleRest(now)
	default:
		r.settleFamily(now)
	}
	if !r.done {
		r.timer.Reset(time.Until(r.nextDue(now)))
	}
}

// settleFamily deals with descendants that are left.
func (r *run) settleFamily(now time.Time) {
	if r.sweep != nil && !now.Before(r.sweep.next) {
		r.advanceSweep(now)
	}
	swept := r.sweep == nil || r.sweep.left == 0
	switch {
	case r.sweep != nil && r.sweep.stuck:
		r.finish(false, "left after TERM, KILL and a second grace")
	case r.alive:
	case r.result.Lost && swept:
		r.finish(false, "ownership was lost; CMD's group has ended, what left it was not looked for")
	case r.Linger == Strand && swept:
		r.finish(false, "left when CMD ended")
	default:
		r.vigil.speak(now, r.notes, r.describeWait)
	}
}

// settleRest deals with what can be left when no descendant is.
func (r *run) settleRest(now time.Time) {
	r.inquiry.ask(now)
	expired := r.sweep != nil && r.sweep.everyone && now.After(r.sweep.killAt.Add(r.sweep.patience))
	impatient := r.Linger == Strand || r.result.Lost || r.further || expired
	switch {
	case r.result.Lost && !r.inquiry.gone:
		r.finish(false, "ownership was lost; no descendant is left; not waited for: "+r.inquiry.String())
	case !r.inquiry.gone && (expired || impatient && r.inquiry.answered()):
		r.finish(false, "no descendant is left; not waited for: "+r.inquiry.String())
	case r.inquiry.gone && (impatient || r.streams.drained()):
		r.finish(true, proofChildless)
	default:
		r.vigil.speak(now, r.notes, r.describeWait)
	}
}

// advanceSweep signals those that the sweep is for. Where /proc cannot tell them,
// only CMD itself is still certain.
func (r *run) advanceSweep(now time.Time) {
	f, err := r.lookUp()
	if err == nil {
		r.sweep.round(now, f)
		return
	}
	if due := r.sweep.blindRound(now); due != 0 {
		r.deliver(due)
	}
}

// finish ends the loop. Without proof it names who is left, if that can be seen.
func (r *run) finish(quiescent bool, proof string) {
	r.done = true
	r.result.Quiescent = quiescent
	r.result.Proof = proof
	if quiescent {
		return
	}
	f, err := r.lookUp()
	r.result.Survivors = f.all
	switch {
	case err != nil:
		r.result.Proof += fmt.Sprintf(" (who is left cannot be seen: %v)", err)
	case len(f.all) > 0:
		r.result.Proof += ": " + names(f.all)
	}
}

// nextDue is when proceed must be called without an event.
func (r *run) nextDue(now time.Time) time.Time {
	due := now.Add(heartbeat)
	if !r.vigil.next.IsZero() {
		due = earlier(due, r.vigil.next)
	}
	if r.sweep != nil && !r.childless {
		due = earlier(due, r.sweep.next)
	}
	if r.childless && !r.inquiry.gone && !r.inquiry.asking {
		due = earlier(due, r.inquiry.next)
	}
	return due
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
