package admin

import (
	"slices"

	"holdfast/lease/dirstore"
	"holdfast/ownership"
)

// A store that went back, as when a backup is put back, and was used again has two lines
// of records that part where the backup was made and have the same generations. In the
// archive they lie side by side. The elder is told to its end, and then, behind one gap,
// the younger from where it parts: what came later in the archive is kept until then.

// ofAnotherLine reports whether a record follows an earlier one than was told last.
func (c *chronicle) ofAnotherLine(p published) bool {
	if c.last == nil || c.unknown || c.deaf || p.previous == c.last.revision || p.previous.IsZero() {
		return false
	}
	for n := len(c.later) - 1; n >= 0 && c.later[n].generation+1 >= p.generation; n-- {
		if c.later[n].revision == p.previous {
			return true
		}
	}
	return !c.setAside[p.previous] && c.knows(p.previous)
}

// freshIn returns the records of an outbox, and the one in force.
func freshIn(box dirstore.Outbox, d ownership.Digest) map[ownership.Revision]dirstore.Rev {
	fresh := make(map[ownership.Revision]dirstore.Rev, len(box.Past)+1)
	for _, rev := range box.Past {
		fresh[rev.Revision] = rev
	}
	if r := box.Current.Reading(d).Record; r != nil {
		current := box.Current.Revision
		fresh[current] = dirstore.Rev{Revision: current, Previous: publishedAs(*r, box.Current, box.WrittenAt).previous, Generation: r.Generation, WrittenAt: box.WrittenAt}
	}
	return fresh
}

// bring tells what a record follows before it: a backup that was put over a session leaves
// the files of what came later, which may be archived first.
func (c *chronicle) bring(r ownership.Revision) {
	var line []dirstore.Rev
	for rev, ok := c.fresh[r]; ok && !c.told[r]; rev, ok = c.fresh[r] {
		line = append(line, rev)
		r = rev.Previous
	}
	for _, rev := range slices.Backward(line) {
		c.tellRev(rev)
	}
}

// turn tells the lines that were kept, one after the other.
func (c *chronicle) turn() {
	for len(c.later) > 0 && !c.done {
		kept := c.later
		c.later = nil
		c.again(kept[0], c.follow)
		for _, p := range kept[1:] {
			c.again(p, c.record)
		}
	}
}

func (c *chronicle) again(p published, tell func(published)) {
	var err error
	if p.bytes, err = c.bytesOf(p.generation, p.revision); err != nil {
		c.unread(err)
		return
	}
	tell(p)
}
