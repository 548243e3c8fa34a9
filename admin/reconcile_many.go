package admin

import (
	"context"
	"errors"

	"holdfast/lease"
)

// savingWidth bounds how many sessions have their work saved at once: that reads worktrees,
// starts git and may take minutes.
const savingWidth = 4

// recoverAll recovers many sessions at once and tells of them in their order. Each is
// looked at again right before it is changed, as if it were the only one; what they share
// is how long they wait: for the disk, for a look at the processes of this host, and for
// the archive. When ctx ends no further one is begun; of those that were the recovered are told, and
// one failure.
func (p *pass) recoverAll(due []*finding) {
	if p.done {
		return
	}
	alone := p.store
	gathered, w, apart := gather(alone)
	p.store, p.room, p.looks = gathered, make(room, w.commits), lease.NewSurvey(gathered)
	defer func() {
		p.looks.Close()
		p.store, p.looks = alone, nil
		apart()
	}()
	saving := make(room, savingWidth)
	attempt := func(f *finding) said {
		if namesWork(f.seen) {
			defer saving.enter()()
		}
		return p.recover(f)
	}
	n := 0
	for _, s := range abreast(p.ctx.Done(), w.batch, due, attempt) {
		n++
		interrupted := p.done && s.err != nil && !errors.Is(s.err, lease.ErrOutcomeUnknown)
		if !interrupted { // as the one before
			p.say(s)
		}
		if p.deaf {
			return
		}
	}
	if !p.done && n < len(due) {
		p.say(due[n].failed(context.Cause(p.ctx)))
	}
}
