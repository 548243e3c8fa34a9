package procid

import (
	"time"

	"golang.org/x/sys/unix"
)

// ticksPerSecond is USER_HZ, in which the kernel answers; it is 100 on every architecture that Go runs on.
const ticksPerSecond = 100

// StartedAt is when the process started, to about 10 ms, by today's wall clock: it moves when that is set. It is zero
// when the start ticks are unknown.
func (p Process) StartedAt() time.Time {
	var sinceBoot unix.Timespec
	if p.StartTicks == 0 || unix.ClockGettime(unix.CLOCK_BOOTTIME, &sinceBoot) != nil {
		return time.Time{}
	}
	age := time.Duration(sinceBoot.Nano()) - time.Duration(p.StartTicks)*(time.Second/ticksPerSecond)
	return time.Now().Add(-age)
}
