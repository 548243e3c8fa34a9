package dirstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"holdfast/internal/procid"
	"holdfast/ownership"
)

// Holders names the processes that hold a lock.
func (s *Store) Holders(ctx context.Context, d ownership.Digest, g ownership.Generation, l ownership.Lock) ([]ownership.Process, error) {
	x, err := s.openSession(d)
	if x == nil {
		return nil, err
	}
	defer x.Close()
	path := s.at(sessionsName, d.String(), lockName(g, l))
	info, err := x.Lstat(lockName(g, l))
	if err != nil {
		return nil, s.failed("name holders of", path, ignoreMissing(err))
	}
	found, err := holdersOf(info)
	return found, s.failed("name holders of", path, err)
}

// holdersOf names what it can. That some processes could not be looked into does not
// spoil the rest of the list.
func holdersOf(info fs.FileInfo) ([]ownership.Process, error) {
	found, err := procid.Holders(info)
	var partial *procid.PartialError
	if err != nil && !errors.As(err, &partial) {
		return nil, err
	}
	holders := make([]ownership.Process, len(found))
	for i, p := range found {
		holders[i] = ownership.Process{PID: p.PID, StartTicks: p.StartTicks, Program: p.Program}
	}
	return holders, nil
}

// inWords lists processes for a message.
func inWords(holders []ownership.Process, err error) string {
	if err != nil {
		return fmt.Sprintf("somebody who cannot be named (%v)", err)
	}
	if len(holders) == 0 {
		return "somebody who cannot be seen from here"
	}
	words := make([]string, len(holders))
	for i, p := range holders {
		words[i] = fmt.Sprintf("%s (pid %d)", p.Program, p.PID)
	}
	return strings.Join(words, ", ")
}
