package admin

import (
	"context"
	"fmt"
	"time"

	"holdfast/lease"
	"holdfast/ownership"
)

// clockSlack is how far a record may lie ahead: no decision rests on a clock, but a
// person reads the times.
const clockSlack = time.Minute

// checkRecords looks at what the records themselves say. What cannot be loaded is
// reported by the look at the store.
func checkRecords(ctx context.Context, s lease.Store, now time.Time) []Finding {
	var c records
	for d, err := range s.List(ctx) {
		if err != nil {
			c.unlisted = err
			continue
		}
		if stored, err := s.Load(ctx, d); err == nil && !stored.Vacant() {
			c.add(d, stored.Reading(d))
		}
	}
	if c.unlisted != nil && c.count == 0 {
		return []Finding{unchecked("records", c.unlisted.Error())}
	}
	return append(c.judgeReadings(), c.judgeClock(now))
}

// records is what was read of all sessions.
type records struct {
	count      int
	unlisted   error // why there may be more
	unreadable []lease.Inspection
	newest     ownership.Timestamp
	whose      lease.Inspection // the session of the newest record
}

func (c *records) add(d ownership.Digest, r ownership.Reading) {
	c.count++
	i := lease.Inspection{KeyDigest: d, Record: r.Record, Fault: r.Fault}
	if r.Record == nil {
		c.unreadable = append(c.unreadable, i)
		return
	}
	i.Key = r.Record.Key
	if at := latest(*r.Record); at.Time().After(c.newest.Time()) {
		c.newest, c.whose = at, i
	}
}

// latest returns the latest moment that a record names.
func latest(r ownership.Record) ownership.Timestamp {
	var at ownership.Timestamp
	if r.Owner != nil {
		at = r.Owner.AcquiredAt
	}
	if m := r.LastForcedRecovery; m != nil && m.RecoveredAt.Time().After(at.Time()) {
		at = m.RecoveredAt
	}
	return at
}

func (c *records) judgeReadings() []Finding {
	const check = "records"
	if len(c.unreadable) == 0 {
		return []Finding{passed(check, fmt.Sprintf("%d can be read", c.count))}
	}
	var all []Finding
	for _, i := range c.unreadable[:min(len(c.unreadable), maxShown)] {
		next := LookAgain(i, "see what can be done")
		detail := fmt.Sprintf("session %s cannot be read: %v", i.Name(), i.Fault)
		all = append(all, problem(check, detail, next.Why, next.Argv...))
	}
	if more := len(c.unreadable) - len(all); more > 0 {
		detail := fmt.Sprintf("%d more sessions cannot be read", more)
		all = append(all, problem(check, detail, "see them", "session", "list", "--state", string(ownership.StateUnreadable)))
	}
	return all
}

func (c *records) judgeClock(now time.Time) Finding {
	const check = "clock"
	ahead := c.newest.Time().Sub(now)
	if ahead <= clockSlack {
		return passed(check, "no record is from the future")
	}
	detail := fmt.Sprintf("session %s has a record of %s, %s ahead of this clock: one of the two clocks was wrong", c.whose.Name(), c.newest, ahead.Round(time.Second))
	f := problem(check, detail, "see this clock", "date", "-u")
	f.Next = append(f.Next, LookAgain(c.whose, "see the record"))
	return f
}
