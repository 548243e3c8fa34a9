package journal

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// deskRecords bounds how many records of several callers become durable together: they
// are in memory at once.
const deskRecords = 4096

// desk collects what goroutines of this process append to one journal at the same time:
// they wait for the disk together. Each is answered once its own batch is durable.
type desk struct {
	mu      sync.Mutex
	waiting []*posting

	turn sync.Mutex // held by whoever appends for all who wait
}

var desks sync.Map // of *desk, by the journal's path

// posting is one batch on its way.
type posting struct {
	ctx   context.Context
	batch Batch
	done  bool // with err: of whoever had the turn
	err   error
}

func (j *Journal) post(p *posting) error {
	found, _ := desks.LoadOrStore(j.path, &desk{})
	found.(*desk).post(j, p)
	return p.err
}

// post waits for the turn, in which somebody else may have seen to it. Whoever appends
// does so itself, and starts no goroutine: what follows the calls of one thread sees them
// all.
func (d *desk) post(j *Journal, p *posting) {
	d.add(p)
	d.turn.Lock()
	defer d.turn.Unlock()
	for !p.done {
		j.answer(d.take())
	}
}

// answer appends what all of them bring. What is damaged may be one session's entries:
// then each is tried alone, since the others must not lose their history with it.
func (j *Journal) answer(all []*posting) {
	err := j.appendAll(all)
	alone := len(all) > 1 && errors.Is(err, ErrDamaged)
	for _, p := range all {
		if alone {
			err = j.appendAll([]*posting{p})
		}
		p.done, p.err = true, err
	}
}

func (d *desk) add(p *posting) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.waiting = append(d.waiting, p)
}

// take takes who waits longest, and as many behind it as there is room for.
func (d *desk) take() []*posting {
	d.mu.Lock()
	defer d.mu.Unlock()
	n, records := 1, len(d.waiting[0].batch.Records)
	for n < len(d.waiting) && records < deskRecords {
		records += len(d.waiting[n].batch.Records)
		n++
	}
	all := d.waiting[:n]
	d.waiting = slices.Clone(d.waiting[n:])
	return all
}

// appendAll appends what all of them bring, in one transaction. One caller that goes away
// does not take the others' answers with it.
func (j *Journal) appendAll(all []*posting) error {
	ctx := all[0].ctx
	if len(all) > 1 {
		ctx = context.WithoutCancel(ctx)
	}
	var together Batch
	for _, p := range all {
		together.join(p.batch)
	}
	return j.appendNow(ctx, together)
}
