package supervise

import (
	"syscall"
	"time"
)

// echo is how long after the first news of an end the signals of a terminal are
// still that news. A hangup reaches us from the kernel and from the shell; a Ctrl-C
// that ended CMD may be handled after CMD's end.
const echo = 100 * time.Millisecond

// request handles a HUP, INT, QUIT or TERM.
func (r *run) request(sig syscall.Signal, now time.Time) {
	switch {
	case r.alive:
		if r.asksToEnd(sig) {
			r.askedToEnd(sig, now)
		}
		r.pass(sig)
	case r.tty != nil && now.Sub(r.heardAt) < echo:
	case r.result.Ended == nil:
		r.askedToEnd(sig, now)
		r.sweepGroup(now)
		r.vigil.next = now.Add(firstNotice)
	case r.childless && r.inquiry.hasJustBegun(now):
		r.further = true // nobody is left, and whether that is all is about to be known
	default:
		r.finish(false, r.stranding())
	}
}

// stranding says that a request to end ended the wait, and for what where no process
// can be named.
func (r *run) stranding() string {
	const why = "stranded by a further request to end"
	if r.childless && !r.inquiry.gone {
		return why + "; not waited for: " + r.inquiry.String()
	}
	return why
}

func (r *run) askedToEnd(sig syscall.Signal, now time.Time) {
	if r.result.Ended == nil {
		r.result.Ended = sig
		r.heardAt = now
	}
}

// hearRequests handles the requests that have arrived by now.
func (r *run) hearRequests() {
	r.signals.catcher.Flush()
	for range len(r.signals.end) {
		r.request(<-r.signals.end, time.Now())
	}
}

// ended is called once, when CMD has ended.
func (r *run) ended(now time.Time) {
	r.takeBackTerminal()
	r.heardAt = now
	r.vigil.next = now.Add(firstNotice)
	switch {
	case r.sweep != nil:
	case r.Linger == Kill:
		r.sweep = newSweep(now, true, r.Grace)
	case r.result.Ended != nil:
		r.sweepGroup(now)
	}
}

// sweepGroup ends what is left in CMD's group, unless more than that is being ended.
func (r *run) sweepGroup(now time.Time) {
	if r.sweep == nil {
		r.sweep = newSweep(now, false, r.Grace)
	}
}
