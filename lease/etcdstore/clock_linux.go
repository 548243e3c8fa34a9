package etcdstore

import (
	"time"

	"golang.org/x/sys/unix"
)

// sinceBoot is a clock that nobody sets and that goes on while the machine sleeps, as
// the cluster's does.
func sinceBoot() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &t); err != nil {
		return time.Since(start) // no kernel of this century
	}
	return time.Duration(t.Nano())
}
