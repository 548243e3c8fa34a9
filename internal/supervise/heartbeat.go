package supervise

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// heartbeat is how often children are waited for without any news of them: nobody
	// waits for ever for one that is dead, whatever became of the signal that says so.
	heartbeat = 500 * time.Millisecond
	// blindness is how long wait4 may fail before what it could have proved is given up.
	blindness = 20 * heartbeat
)

// unwaited deals with a wait4 that fails. No kernel is known to do it; but what is not
// known of a command that has ended must be said, and not be waited for.
func (r *run) unwaited(now time.Time, err error) {
	r.childless = false
	if r.blindSince.IsZero() {
		r.blindSince = now
	}
	if now.Sub(r.blindSince) < blindness || r.alive && !isDead(r.pid) {
		return
	}
	r.alive = false
	r.finish(false, fmt.Sprintf("the command has ended, and who is left cannot be proved, since wait4 fails: %v", err))
}

// bereft deals with CMD's end that somebody else took, or nobody could.
func (r *run) bereft(now time.Time) {
	if r.alive && unix.Kill(r.pid, 0) == unix.ESRCH {
		r.alive = false
		r.ended(now)
	}
	r.childless = !r.alive && groupGone(r.group)
}
