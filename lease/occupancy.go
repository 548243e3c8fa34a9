package lease

import (
	"sync"

	"holdfast/ownership"
)

// occupied holds the sessions that this process is acquiring, owns or recovers. On
// some file systems a lock does not separate two descriptors of one process, so the
// process keeps itself apart.
var occupied sync.Map // of occupant

type occupant struct {
	store  string
	digest ownership.Digest
}

// Occupy reserves a session for one use in this process, before any I/O on it. It
// reports false when another use has it; otherwise free must be called once.
func Occupy(s Store, d ownership.Digest) (free func(), ok bool) {
	o := occupant{s.Identity(), d}
	if _, taken := occupied.LoadOrStore(o, true); taken {
		return nil, false
	}
	return sync.OnceFunc(func() { occupied.Delete(o) }), true
}
