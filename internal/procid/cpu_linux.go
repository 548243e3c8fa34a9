package procid

import "time"

// CPUTime returns how much processor time a process has used, with its ended children whom it has waited for, in steps
// of a clock tick. It returns false where that very process cannot be looked at.
func CPUTime(p Process) (time.Duration, bool) {
	v, err := look(p.PID)
	if err != nil {
		return 0, false
	}
	defer v.close()
	if v.stat.startTicks != p.StartTicks {
		return 0, false
	}
	return time.Duration(v.stat.cpuTicks) * time.Second / ticksPerSecond, true
}
