package main

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// What a session takes that was owned once: its directory, and its record under two names.
const (
	sessionBytes  = 10 << 10
	sessionInodes = 2
)

// room tells whether the disk has room for stores of so many sessions.
func (l *lab) room(sizes []int) error {
	var fs unix.Statfs_t
	if err := unix.Statfs(l.base, &fs); err != nil {
		return fmt.Errorf("statfs %s: %w", l.base, err)
	}
	all := 0
	for _, n := range sizes {
		all += n
	}
	// A file system that makes inodes as it needs them says that it has none at all.
	few := fs.Files > 0 && uint64(all*sessionInodes) > fs.Ffree
	if few || uint64(all*sessionBytes) > fs.Bavail*uint64(fs.Bsize) {
		return missingError(fmt.Sprintf("no room on the disk for %s sessions: -store DIR takes another one", inThousands(all)))
	}
	return nil
}
