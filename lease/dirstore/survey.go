package dirstore

import (
	"golang.org/x/sys/unix"

	"holdfast/lease"
	"holdfast/ownership"
)

// survey looks at one session after the other through the descriptor of sessions/: the
// store above it is checked once.
type survey struct {
	store    *Store
	sessions int // < 0: nothing is plain
}

// Survey opens sessions/. Should the store be replaced meanwhile, the survey is still of
// the one that was listed.
func (s *Store) Survey() (views lease.Viewer, done func()) {
	x := survey{s, s.openSessions()}
	return x, x.close
}

func (x survey) View(d ownership.Digest) lease.View {
	return &view{x.store, d, openPlainly(x.sessions, d)}
}

func (x survey) close() {
	if x.sessions >= 0 {
		unix.Close(x.sessions) // nothing was written through it
	}
}
