package ownership

// MaxGeneration is the largest generation: the largest integer that every JSON
// reader keeps exact.
const MaxGeneration Generation = 1<<53 - 1

// Generation counts the acquisitions and forced recoveries of a session. It is the
// fencing token: whatever an agent writes to can refuse a smaller one (I2).
type Generation uint64

// RecordState is what a record says of its owner.
type RecordState string

// A record is active from before any work starts until its owner proved that it
// stopped or a person forced it.
const (
	RecordActive RecordState = "active"
	RecordIdle   RecordState = "idle"
)

// Release is how a session became idle.
type Release string

// A session becomes idle by its owner's acknowledgement or by a forced recovery.
const (
	ReleaseAcknowledged Release = "acknowledged"
	ReleaseForced       Release = "forced"
)

// Record is the one ownership record of a session. The order of its members is the
// order of its encoding.
type Record struct {
	Key                *string         `json:"key"` // nil where the owner asked that it not be kept
	KeyDigest          Digest          `json:"keyDigest"`
	Generation         Generation      `json:"generation"`
	PreviousRevision   *Revision       `json:"previousRevision"` // nil only in the first record of a session
	State              RecordState     `json:"state"`
	Release            *Release        `json:"release"` // nil while active
	Owner              *Owner          `json:"owner"`   // nil only in what a quarantine publishes
	Session            Session         `json:"session"`
	LastForcedRecovery *ForcedRecovery `json:"lastForcedRecovery"`
}

// Owner is who made the latest acquisition. It is kept on an idle record.
type Owner struct {
	Kind         string      `json:"kind"` // [a-z][a-z0-9-]{0,31}
	OperationID  OperationID `json:"operationId"`
	User         string      `json:"user"`
	Host         string      `json:"host"`
	HostID       *Digest     `json:"hostId"` // BLAKE3-256 of the machine id
	BootID       *string     `json:"bootId"`
	PIDNamespace *uint64     `json:"pidNamespace"` // inode number of the namespace
	PID          int         `json:"pid"`          // as seen in that namespace
	StartTicks   *uint64     `json:"startTicks"`   // clock ticks after boot
	Program      string      `json:"program"`      // base name only: arguments can hold secrets
	AcquiredAt   Timestamp   `json:"acquiredAt"`
}

// Session is what is known about the session itself. It survives owners and
// recoveries until an owner changes it.
type Session struct {
	Runtime    *Runtime `json:"runtime"`
	Resume     *string  `json:"resume"`     // the command that resumes the agent
	Worktree   *string  `json:"worktree"`   // absolute path
	Transcript *string  `json:"transcript"` // absolute path
	Tracker    *string  `json:"tracker"`    // absolute path
}

// Runtime names what the agent runs in, when that is not a descendant of its owner.
type Runtime struct {
	Kind   string `json:"kind"`
	Handle string `json:"handle"`
}

// String returns kind and handle as they are typed.
func (r Runtime) String() string { return r.Kind + ":" + r.Handle }

// ForcedRecovery is the marker that a forced recovery leaves. It says what is not
// known, and stays in later records until the next forced recovery replaces it.
type ForcedRecovery struct {
	PreviousRevision     Revision     `json:"previousRevision"`
	DisplacedOperationID *OperationID `json:"displacedOperationId"` // nil only where the displaced bytes were unreadable
	DisplacedGeneration  *Generation  `json:"displacedGeneration"`  // likewise
	RecoveredAt          Timestamp    `json:"recoveredAt"`
	Actor                string       `json:"actor"`
	Reason               string       `json:"reason"`
	Liveness             Verdict      `json:"liveness"`  // what was known when it was forced: gone or unproven
	Survivors            []Survivor   `json:"survivors"` // never nil
	Cleanup              Cleanup      `json:"cleanup"`
	Outcome              Outcome      `json:"outcome"`
	Evidence             *string      `json:"evidence"` // SHA-256 of the snapshot's manifest
}

// Survivor is a living descendant of a dead owner that a person named and accepted.
type Survivor struct {
	PID        int    `json:"pid"`
	StartTicks uint64 `json:"startTicks"`
	Program    string `json:"program"`
}

// Cleanup says whether it was proved that nothing of a displaced owner is left.
type Cleanup string

// Cleanup is unproved unless somebody proved it.
const (
	CleanupUnproved Cleanup = "unproved"
	CleanupProved   Cleanup = "proved"
)

// Outcome is what a displaced execution achieved, as far as it was settled.
type Outcome string

// The outcomes of an execution.
const (
	OutcomeUnknown  Outcome = "unknown"
	OutcomeDone     Outcome = "done"
	OutcomeFailed   Outcome = "failed"
	OutcomeSkipped  Outcome = "skipped"
	OutcomeTimedOut Outcome = "timed_out"
	OutcomeRequeued Outcome = "requeued"
)
