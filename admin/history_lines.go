package admin

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
