package dirstore

import (
	"context"

	"holdfast/internal/durable"
	"holdfast/lease"
	"holdfast/ownership"
)

// outbox is [Store.Outbox] where all is plain: a record in force, and names in history that
// stand for small records of those revisions. It lists the names before it reads the record,
// as readOutbox does.
func (v *view) outbox(ctx context.Context) (box Outbox, plain bool) {
	names, err := durable.NamesAt(v.at.self)
	if err != nil || !v.loads() || v.seen.Vacant() {
		return box, false
	}
	box.Current, box.WrittenAt = v.seen.Stored, v.seen.written
	revs, kept := make([]Rev, 0, len(names)), 0
	for _, name := range names {
		r, ok := revisionName(name)
		switch {
		case !ok:
			continue
		case ctx.Err() != nil:
			return box, false
		case r == box.Current.Revision:
			if second, err := durable.LstatAt(v.at.self, name); err != nil || second.ID != v.seen.id {
				return box, false
			}
			continue
		}
		rev, ok := v.rev(name, r)
		if !ok {
			return box, false
		}
		if kept += len(rev.Bytes); kept > outboxBytes {
			rev.Bytes = nil
		}
		revs = append(revs, rev)
	}
	current := v.seen.Reading(v.digest)
	box.sort(revs, current)
	return box, current.Fault == nil
}

// rev reads a record of history that plainly is what its name says.
func (v *view) rev(name string, r ownership.Revision) (Rev, bool) {
	b, st := v.small(name)
	if b == nil || ownership.RevisionOf(b) != r {
		return Rev{}, false
	}
	reading := lease.Stored{Bytes: b, Revision: r}.Reading(v.digest)
	if reading.Record == nil {
		return Rev{}, false
	}
	return Rev{
		Revision: r, Previous: previousOf(*reading.Record), Generation: reading.Record.Generation,
		WrittenAt: modTime(&st), Bytes: b,
	}, true
}
