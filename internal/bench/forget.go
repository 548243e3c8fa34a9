package main

import "time"

// remembered is how long ext4 without a journal remembers what was removed: a new file looks
// past every inode of its group that was removed within that time.
const remembered = time.Minute

// forget waits until the disk has forgotten what earlier rows removed, unless no figure
// matters.
func (l *lab) forget() error {
	if l.quick {
		return nil
	}
	select {
	case <-time.After(time.Until(l.tidied.Add(remembered))):
		l.startClock()
		return nil
	case <-l.stop.Done():
		return l.stop.Err()
	}
}
