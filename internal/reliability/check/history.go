package check

import "holdfast/ownership"

// History is what users were told of each session.
type History map[ownership.Digest]*Session

// Session is what users were told of one session.
type Session struct {
	// Told are revisions that somebody was told are in force, in the order in which they
	// came into force.
	Told []ownership.Revision
	// Somewhen are revisions that were told as well, nobody knows in which order.
	Somewhen []ownership.Revision
	// Unanswered bounds how many records more may have been published: by calls whose
	// answer nobody got.
	Unanswered int
	// Past are the bytes of records that are kept elsewhere than in the session's
	// directory: in an archive.
	Past [][]byte
	// Damaged is set where somebody else than the code under test wrote into the record's
	// place: what is there need not be a record.
	Damaged bool
}

// Of returns the session of a digest, which it adds where there is none.
func (h History) Of(d ownership.Digest) *Session {
	if h[d] == nil {
		h[d] = &Session{}
	}
	return h[d]
}

// Clone returns a history that can be added to.
func (h History) Clone() History {
	clone := History{}
	for d, s := range h {
		fresh := *s
		fresh.Told = append([]ownership.Revision{}, s.Told...)
		fresh.Somewhen = append([]ownership.Revision{}, s.Somewhen...)
		fresh.Past = append([][]byte{}, s.Past...)
		clone[d] = &fresh
	}
	return clone
}

// Last returns the revision that was told last, or zero.
func (s *Session) Last() (r ownership.Revision) {
	if len(s.Told) > 0 {
		r = s.Told[len(s.Told)-1]
	}
	return r
}
