package supervise

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"holdfast/internal/halt"
)

// sweepEvery is how often a sweep looks for processes that it has not met.
const sweepEvery = 100 * time.Millisecond

// restEvery is that for a sweep which has found nobody.
const restEvery = 2 * time.Second

// leastPatience is the least time that the kernel gets to carry out a KILL.
const leastPatience = 2 * time.Second

// sweep ends processes: TERM, after the grace KILL, after a second grace it gives
// up. Those that appear meanwhile get what the others get at that time.
type sweep struct {
	everyone bool // or CMD's group only
	killAt   time.Time
	patience time.Duration
	next     time.Time // of the next round
	termed   map[identity]bool
	killed   map[identity]time.Time

	blind bool // CMD was sent TERM by a blind round
	left  int  // targets that lived in the last round, -1 before the first
	stuck bool // one of them will not die
}

// identity tells a process from a later one of the same number.
type identity struct {
	pid   int
	ticks uint64
}

func newSweep(now time.Time, everyone bool, grace time.Duration) *sweep {
	return &sweep{
		everyone: everyone,
		killAt:   now.Add(grace),
		patience: max(grace, leastPatience),
		next:     now,
		termed:   map[identity]bool{},
		killed:   map[identity]time.Time{},
		left:     -1,
	}
}

// round signals every target of f according to the time.
func (s *sweep) round(now time.Time, f family) {
	s.next = now.Add(sweepEvery)
	targets := f.group
	if s.everyone {
		targets = f.all
		// A family that grows faster than it is killed has no member that is stuck.
		s.stuck = now.After(s.killAt.Add(s.patience)) && len(targets) > 0
	}
	s.left = len(targets)
	if s.left == 0 {
		s.next = now.Add(restEvery)
	}
	for _, p := range targets {
		if now.Before(s.killAt) {
			s.term(p)
		} else {
			s.kill(p, now)
		}
	}
}

// blindRound is a round in which nobody can be seen. It returns what is due to the
// one process that is certain, CMD, or 0.
func (s *sweep) blindRound(now time.Time) (due syscall.Signal) {
	s.next = now.Add(sweepEvery)
	s.stuck = now.After(s.killAt.Add(s.patience))
	switch {
	case !now.Before(s.killAt):
		return unix.SIGKILL
	case !s.blind:
		s.blind = true
		return unix.SIGTERM
	default:
		return 0
	}
}

func (s *sweep) term(p Process) {
	id := identity{p.PID, p.StartTicks}
	if s.termed[id] {
		return
	}
	s.termed[id] = true
	// A stopped process sees TERM only when it is continued.
	_ = halt.Signal(p, unix.SIGTERM, unix.SIGCONT)
}

// kill does not ask whether the signal could be sent: what lives on is stuck.
func (s *sweep) kill(p Process, now time.Time) {
	id := identity{p.PID, p.StartTicks}
	first, again := s.killed[id]
	if !again {
		s.killed[id] = now
	}
	if again && now.Sub(first) >= s.patience {
		s.stuck = true
	}
	_ = halt.Signal(p, unix.SIGKILL)
}
