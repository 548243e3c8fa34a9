package procid

import "slices"

// Scan is one pass over all processes that /proc shows, each as it was at some moment of the pass. Its lists leave out
// the dead and are in the order of pids.
type Scan struct {
	// EnvironUnreadable counts the living processes whose environment could not be read, for want of permission.
	EnvironUnreadable int
	// Incomplete is set when the scan may have missed something for any other reason, such as a want of descriptors: what
	// its lists leave out may well be there. It is the first such error.
	Incomplete error
	// Hidden is set when /proc may show us only our own processes (hidepid).
	Hidden bool

	processes []scanned
	unread    map[int]error // what kept us from looking at a process at all
}

type scanned struct {
	PID        int
	StartTicks uint64
	comm       string // program name, cut at 15 bytes by the kernel
	parent     int
	group      int
	session    int
	dead       bool
	operations []string
}

// WithOperation lists the processes started at or after since (clock ticks since boot) whose environment carries id as
// SESSION_OPERATION_ID.
func (s *Scan) WithOperation(id string, since uint64) []Process {
	return s.living(func(p *scanned) bool {
		return p.StartTicks >= since && slices.Contains(p.operations, id)
	})
}

// Descendants lists the children of pid, their children, and so on. What was orphaned belongs to whoever adopted it.
func (s *Scan) Descendants(pid int) []Process {
	family := map[int]bool{pid: true}
	for grown := true; grown; {
		grown = false
		for i := range s.processes {
			if p := &s.processes[i]; family[p.parent] && !family[p.PID] {
				family[p.PID], grown = true, true
			}
		}
	}
	return s.living(func(p *scanned) bool { return p.PID != pid && family[p.PID] })
}

// Group lists the processes of a process group.
func (s *Scan) Group(pgrp int) []Process {
	return s.living(func(p *scanned) bool { return p.group == pgrp })
}

// Children lists the processes whose parent is pid.
func (s *Scan) Children(pid int) []Process {
	return s.living(func(p *scanned) bool { return p.parent == pid })
}

// Session lists the processes of a session, in the sense of setsid(2): what a terminal's shell and its jobs share, also
// when they are orphans. The kernel keeps a number back while a session has it.
func (s *Scan) Session(leader int) []Process {
	return s.living(func(p *scanned) bool { return p.session == leader })
}

// WorkingIn lists the processes whose working directory is dir or inside it, by path as seen from our root; of two bind
// mounts of one directory it knows one. Directories are read at this call, and only of processes that still exist;
// those that we may not inspect are left out.
func (s *Scan) WorkingIn(dir string) []Process {
	dir = resolved(dir)
	return s.living(func(p *scanned) bool {
		return isInside(workingDirectory(Process{PID: p.PID, StartTicks: p.StartTicks}), dir)
	})
}

// Exists is the function of that name for our own pid namespace, of the moment of the scan. What such a process started
// before it was found gone, the scan shows too: it lists the processes again after it has looked at each.
func (s *Scan) Exists(pid int, startTicks *uint64) (Process, bool, error) {
	for i := range s.processes {
		if p := &s.processes[i]; p.PID == pid {
			if p.dead || !isStart(startTicks, p.StartTicks) {
				return Process{}, false, nil
			}
			return p.named(), true, nil
		}
	}
	if err := s.unread[pid]; err != nil {
		return Process{}, false, err
	}
	if s.Hidden {
		return Process{}, false, ErrHidden
	}
	return Process{}, false, nil
}

// isStart reports whether what was recorded can be the start of a process; nil and 0 are unknown, and fit every process.
func isStart(recorded *uint64, ticks uint64) bool {
	return recorded == nil || *recorded == 0 || *recorded == ticks
}

func (s *Scan) living(match func(*scanned) bool) (found []Process) {
	for i := range s.processes {
		if p := &s.processes[i]; !p.dead && match(p) {
			found = append(found, p.named())
		}
	}
	return found
}
