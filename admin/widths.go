package admin

import (
	"syscall"

	"holdfast/lease"
)

const (
	// surveyWidth bounds how many sessions are inspected at once. Those that wait for a look
	// at the processes of this host share it, so many at once are cheaper.
	surveyWidth = 128
	// batchWidth bounds how many sessions are recovered at once. Those that wait for the
	// disk, for a look at the processes of this host or for the archive wait together.
	batchWidth = 1024
	// commitWidth bounds how many of them publish at once.
	commitWidth = 512
	// threadWidth is commitWidth where each waits for the disk by itself, in a thread.
	threadWidth = 64
)

// Descriptors that are open at once: of everything else, and of a session that publishes;
// one that is looked at has one.
const (
	descriptorsBeside = 64
	descriptorsEach   = 6
)

// widths are how many sessions are inspected at once, or recovered, and how many of those
// publish.
type widths struct{ survey, batch, commits int }

// gather returns the store for many publishes at once, until apart is called, and how
// many there may be.
func gather(s lease.Store) (gathered lease.Store, w widths, apart func()) {
	gathered, together, apart := lease.Gather(s)
	w = widthsHere()
	if !together {
		w.commits = min(w.commits, threadWidth)
	}
	return gathered, w, apart
}

func widthsHere() widths {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return widthsWithin(0) // one after the other needs the fewest
	}
	return widthsWithin(limit.Cur)
}

// widthsWithin gives half of the descriptors that there may be to those that publish.
func widthsWithin(descriptors uint64) widths {
	room := int(min(descriptors, 1<<20)) - descriptorsBeside
	return widths{
		survey:  max(1, min(surveyWidth, room/3)),
		batch:   max(1, min(batchWidth, room/3)),
		commits: max(1, min(commitWidth, room/2/descriptorsEach)),
	}
}
