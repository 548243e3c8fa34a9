package dirstore

import (
	"holdfast/internal/durable"
	"holdfast/lease"
	"holdfast/ownership"
)

// survey looks at one session after the other through the descriptor of sessions/: the
// store above it is checked once.
type survey struct {
	store *Store
	rooms place
}

// Survey opens sessions/. Should the store be replaced meanwhile, the survey is still of
// the one that was listed.
func (s *Store) Survey() (views lease.Viewer, done func()) {
	rooms, _ := s.openRooms() // what is wrong, the views tell
	return survey{s, rooms}, rooms.close
}

func (x survey) View(d ownership.Digest) lease.View {
	at := nowhere
	if fd, err := durable.OpenDirAt(x.rooms.sessions, d.String()); err == nil {
		at.self = fd
	}
	return &view{store: x.store, digest: d, at: at}
}
