package supervise

import (
	"fmt"
	"time"
)

const (
	// firstNotice is how long a wait must last before people are told: most
	// descendants end just after CMD.
	firstNotice = 500 * time.Millisecond
	// noticeEvery is how often they are told again, if there is news.
	noticeEvery = 10 * time.Second
)

// vigil paces what is said about a wait.
type vigil struct {
	next time.Time
	said string
}

// speak says what describe finds, if it is time and if that is news.
func (v *vigil) speak(now time.Time, notes *notices, describe func() string) {
	if now.Before(v.next) {
		return
	}
	v.next = now.Add(noticeEvery)
	if text := describe(); text != v.said {
		v.said = text
		notes.say("%s", text)
	}
}

// describeWait says what the end of the run waits for, and how to end that.
func (r *run) describeWait() string {
	return fmt.Sprintf("the command has ended (%v); waiting for %s; %s", r.exit, r.awaited(), r.wayOut())
}

// wayOut says what a request to end does now. Without descendants there is nobody whom
// the first one could end.
func (r *run) wayOut() string {
	switch {
	case r.result.Ended != nil:
		return "a further signal to end (INT, TERM, HUP) strands the session"
	case r.childless && r.tty != nil:
		return "Ctrl-C twice strands the session"
	case r.childless:
		return "two signals to end (INT, TERM, HUP) strand the session"
	case r.tty != nil:
		return "Ctrl-C ends those still in its process group, a second one strands the session"
	default:
		return "a signal to end (INT, TERM, HUP) ends those still in its process group, a second one strands the session"
	}
}

func (r *run) awaited() string {
	switch {
	case !r.childless:
		f, err := r.lookUp()
		if err != nil {
			return fmt.Sprintf("its descendants, which cannot be listed: %v", err)
		}
		if len(f.all) == 0 {
			return "descendants that are just ending"
		}
		return names(f.all)
	case !r.inquiry.gone:
		return r.inquiry.String()
	default:
		return "the last writer to the transcript, or the reader of our output"
	}
}
