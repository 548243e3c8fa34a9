package ownership

// Verdict is what could be found out about an owner.
type Verdict string

// Unproven is the answer whenever something could not be asked: it is never "gone".
const (
	Alive    Verdict = "alive"
	Gone     Verdict = "gone"
	Unproven Verdict = "unproven"
)

// Finding is what one probe saw.
type Finding string

// A probe sees a sign of life, sees its absence, or could not tell.
const (
	Present Finding = "present"
	Absent  Finding = "absent"
	Unknown Finding = "unknown"
)

// Evidence is one line behind a verdict: what was probed, what was found, and what
// a person should know about it.
type Evidence struct {
	Probe   string  `json:"probe"`
	Finding Finding `json:"finding"`
	Detail  string  `json:"detail"`
}

// Lock names one of the two kernel locks of a generation.
type Lock string

// The life lock is the owner's own; the kin lock is what its descendants keep.
const (
	NoLock   Lock = ""
	LifeLock Lock = "life"
	KinLock  Lock = "kin"
)

// Process identifies a process for certain: pids are reused, start ticks tell them
// apart.
type Process struct {
	PID        int    `json:"pid"`
	StartTicks uint64 `json:"startTicks"` // clock ticks after boot, 0 where the platform has none
	Program    string `json:"program"`
}

// Liveness is the answer to "is a live owner in this session right now?", with the
// evidence for it.
type Liveness struct {
	Verdict  Verdict    `json:"verdict"`
	Evidence []Evidence `json:"evidence"`
	Holders  []Process  `json:"holders"` // who holds the lock; gathered only when shown
	Held     Lock       `json:"-"`       // the lock that was found held, life before kin
}
