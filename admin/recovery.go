package admin

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"holdfast/lease"
	"holdfast/ownership"
)

// Recovery is what a person asks for: to end the ownership that one exact revision
// of a session describes.
type Recovery struct {
	Target
	Expect   ownership.Revision // of the record, or of the raw bytes where they are unreadable
	Consent  Consent
	Despite  []ProcessRef   // the survivors that may live on: every holder of the kin lock is among them, others do not matter
	Snapshot SnapshotChoice // whether the work at risk is saved first
	Saving   Saving
	Actor    string    // at most 255 bytes without control characters; "" is user@host
	Reason   string    // at most 4096 bytes
	At       time.Time // goes into the marker; zero is the moment of the recovery

	aside bool          // what has to be saved first is not begun: errAside
	room  room          // for those that publish at once
	looks *lease.Survey // to look at the session with; nil: at it alone

	seen *lease.Inspection // at this moment, by the caller: the first decision rests on it
}

// Consent is a set of what a person agrees to.
type Consent uint8

// What can be agreed to. Each is asked for only where it matters; none overrides an
// owner that a probe can see (I7).
const (
	// Force agrees to the recovery. Without it there is only a preview.
	Force Consent = 1 << iota
	// AcceptUnproven agrees although it cannot be told from here that the owner is gone.
	AcceptUnproven
	// Quarantine agrees to set aside bytes that are no record.
	Quarantine
)

// Has reports whether everything in what was agreed to.
func (c Consent) Has(what Consent) bool { return c&what == what }

// ProcessRef names a process for certain, as --despite does.
type ProcessRef struct {
	PID        int
	StartTicks uint64 // clock ticks after boot
}

// String returns PID:TICKS.
func (p ProcessRef) String() string { return fmt.Sprintf("%d:%d", p.PID, p.StartTicks) }

// ParseProcessRef reads PID:TICKS.
func ParseProcessRef(s string) (ProcessRef, error) {
	pid, ticks, _ := strings.Cut(s, ":")
	p, errPID := strconv.ParseUint(pid, 10, 31)
	t, errTicks := strconv.ParseUint(ticks, 10, 64)
	if errPID != nil || errTicks != nil || p == 0 {
		return ProcessRef{}, fmt.Errorf("process %.80q is not PID:TICKS, two decimal numbers", s)
	}
	return ProcessRef{PID: int(p), StartTicks: t}, nil
}
