package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
)

// bboltRow and sqliteRow compare a command that owns once with what somebody would write
// on top of a database.
var (
	bboltRow = row{
		name: "bbolt",
		work: "a command that acquires and releases",
		peer: "one that opens bbolt, commits twice, closes",
		goal: goal{atMost: 1},
		play: func(l *lab) (turns, error) {
			place, err := l.place()
			if err != nil {
				return turns{}, err
			}
			return l.ownings(command{argv: []string{l.program("bbolt"), filepath.Join(place, "owners.db"), "k"}})
		},
	}
	sqliteRow = row{
		name: "sqlite",
		work: "a command that acquires and releases",
		peer: "`sqlite3` (FULL, WAL): opens, commits twice, closes",
		goal: goal{atMost: 1},
		play: playSQLite,
	}
)

// ownings lets a small host take turns with a peer.
func (l *lab) ownings(peer command) (t turns, err error) {
	s, err := l.store()
	if err != nil {
		return t, err
	}
	ours := command{argv: []string{l.program("host"), "once", s.Identity(), "k"}}
	for _, c := range []command{ours, peer} { // what is made once
		if _, err := c.once(); err != nil {
			return t, err
		}
	}
	if t, err = l.starts(60, ours, peer); err != nil {
		return t, err
	}
	if err := wasOwned(s, keyOf("k"), 1+4*len(t.ours)); err != nil {
		return t, err
	}
	t.counts, err = l.countStarts(ours, peer)
	return t, err
}

func playSQLite(l *lab) (turns, error) {
	sqlite, err := tool("sqlite3", "sqlite3")
	if err != nil {
		return turns{}, err
	}
	place, err := l.place()
	if err != nil {
		return turns{}, err
	}
	db := filepath.Join(place, "owners.db")
	out, err := exec.Command(sqlite, db, "PRAGMA journal_mode=WAL; CREATE TABLE owners(key TEXT PRIMARY KEY, pid INT);").CombinedOutput()
	if err != nil {
		return turns{}, fmt.Errorf("sqlite3: %w: %s", err, out)
	}
	const commits = "PRAGMA synchronous=FULL; INSERT INTO owners VALUES('k', 1); DELETE FROM owners WHERE key='k';"
	return l.ownings(command{argv: []string{sqlite, db, commits}})
}
