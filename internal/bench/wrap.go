package main

import (
	"path/filepath"

	"holdfast/lease/dirstore"
)

// runRow and runMemoryRow are what the command costs that people put before their own.
var (
	runRow = row{
		name: "run",
		work: "`session run K -- true`",
		peer: "`flock f true`, which writes nothing",
		goal: goal{atMost: 2.5},
		play: func(l *lab) (turns, error) {
			place, err := l.place()
			if err != nil {
				return turns{}, err
			}
			return l.wraps(place)
		},
	}
	runMemoryRow = row{
		name: "run-tmpfs",
		work: "`session run K -- true` on tmpfs",
		peer: "`flock f true` on tmpfs",
		goal: goal{atMost: 1.6},
		play: func(l *lab) (turns, error) {
			if l.memory == "" {
				return turns{}, missingError("there is no tmpfs at /dev/shm")
			}
			return l.wraps(l.memory)
		},
	}
)

func (l *lab) wraps(place string) (t turns, err error) {
	flock, err := tool("flock", "util-linux")
	if err != nil {
		return t, err
	}
	s, err := dirstore.Open(filepath.Join(place, "store"), dirstore.Options{})
	if err != nil {
		return t, err
	}
	ours := command{argv: []string{l.program("session"), "--store", s.Identity(), "run", "--no-worktree", "k", "--", "true"}}
	peer := command{argv: []string{flock, filepath.Join(place, "lock"), "true"}}
	if t, err = l.starts(60, ours, peer); err != nil {
		return t, err
	}
	if err := wasOwned(s, keyOf("k"), 4*len(t.ours)); err != nil {
		return t, err
	}
	t.counts, err = l.countStarts(ours, peer)
	return t, err
}
