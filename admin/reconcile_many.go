package admin

import (
	"context"
	"errors"

	"holdfast/lease"
)

// recoverAll recovers many sessions at once and tells of them in their order. Each is
// looked at again right before it is changed, as if it were the only one; what they share
// is how long they wait: for the disk, for a look at the processes of this host, and for
// the archive. One that names work has its turn alone, since saving that may take minutes.
// When ctx ends no further one is begun; of those that were the recovered are told, and
// one failure.
func (p *pass) recoverAll(due []*finding) {
	if p.done {
		return
	}
	attempt := func(f *finding) *said {
		if namesWork(f.seen) {
			return nil
		}
		return new(p.recover(f))
	}
	n := 0
	for f, s := range abreast(p.ctx.Done(), batchWidth, due, attempt) {
		n++
		switch {
		case s == nil && !p.done:
			p.execute(f)
		case s == nil || p.done && s.err != nil && !errors.Is(s.err, lease.ErrOutcomeUnknown):
			// It was interrupted as the one before.
		default:
			p.say(*s)
		}
		if p.deaf {
			return
		}
	}
	if !p.done && n < len(due) {
		p.say(due[n].failed(context.Cause(p.ctx)))
	}
}
