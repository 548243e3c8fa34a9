package dirstore

import (
	"holdfast/internal/durable"
	"holdfast/lease"
)

// Gather returns the same store, in which the publishes that are under way at once share
// their waits for the disk ([durable.Rounds]), or nil where its file system does not allow
// that.
func (s *Store) Gather() (gathered lease.Store, done func()) {
	rounds := durable.OpenRounds(s.path)
	if rounds == nil {
		return nil, nil
	}
	shared := *s
	shared.rounds = rounds
	rooms, err := s.openRooms()
	if err == nil {
		rooms.shared = true
		shared.rooms = &rooms
	}
	return &shared, func() {
		rooms.shared = false
		rooms.close()
		_ = rounds.Close() // it was only read
	}
}
