package ownership

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits of the free-form members of a record, in bytes.
const (
	MaxNameSize = 255  // kind of runtime, user, host, program, actor
	MaxTextSize = 4096 // handle, resume command, paths, reason
)

// FieldError is returned for a value that breaks a rule of the record.
type FieldError struct {
	Field string
	Why   string
}

func (e *FieldError) Error() string { return e.Field + " " + e.Why }

const kindRule = "is not a lowercase letter and up to 31 lowercase letters, digits or hyphens"

// isKind reports whether s is [a-z][a-z0-9-]{0,31}.
func isKind(s string) bool {
	if s == "" || len(s) > 32 || s[0] < 'a' || s[0] > 'z' {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return true
}

// isUUID reports whether s is a uuid in lowercase.
func isUUID(s string) bool {
	parts := strings.Split(s, "-")
	if len(parts) != 5 || !isLowerHex(strings.Join(parts, "")) {
		return false
	}
	for i, n := range []int{8, 4, 4, 4, 12} {
		if len(parts[i]) != n {
			return false
		}
	}
	return true
}

// check collects the first broken rule, so that rules read as a list.
type check struct{ err error }

func (c *check) that(ok bool, field, format string, args ...any) {
	if c.err == nil && !ok {
		c.err = &FieldError{field, fmt.Sprintf(format, args...)}
	}
}

// name wants a short, non-empty, printable word.
func (c *check) name(field, s string) {
	c.that(s != "", field, "is empty")
	c.that(len(s) <= MaxNameSize, field, "has %d bytes, more than %d", len(s), MaxNameSize)
	c.that(utf8.ValidString(s), field, "is not UTF-8")
	c.that(!hasControl(s), field, "has a control character")
}

// text wants UTF-8 of bounded size; control characters are for the printer to escape.
func (c *check) text(field, s string) {
	c.that(len(s) <= MaxTextSize, field, "has %d bytes, more than %d", len(s), MaxTextSize)
	c.that(utf8.ValidString(s), field, "is not UTF-8")
}

// time wants an instant that the one form of times can spell.
func (c *check) time(field string, ts Timestamp) {
	_, err := ts.MarshalText()
	c.that(err == nil, field, "is not valid: %v", err)
}

func (c *check) optionalPath(field string, p *string) {
	if p == nil {
		return
	}
	c.text(field, *p)
	c.that(path.IsAbs(*p), field, "is not an absolute path")
	c.that(!strings.Contains(*p, "\x00"), field, "has a NUL byte")
}

// Validate returns the first rule of the record that r breaks, as a [*FieldError].
func (r Record) Validate() error {
	var c check
	r.checkKey(&c)
	c.that(r.Generation >= 1 && r.Generation <= MaxGeneration, "generation", "is out of range")
	r.checkChain(&c)
	r.checkState(&c)
	if r.Owner != nil {
		r.Owner.check(&c)
	}
	r.Session.check(&c)
	if r.LastForcedRecovery != nil {
		r.LastForcedRecovery.check(&c)
	}
	r.checkForced(&c)
	return c.err
}

func (r Record) checkKey(c *check) {
	if r.Key == nil {
		return
	}
	key, err := ParseKey(*r.Key)
	c.that(err == nil, "key", "is not valid: %v", err)
	c.that(err != nil || key.Digest() == r.KeyDigest, "keyDigest", "is not the digest of the key")
}

// checkChain holds the first record of a session, and no other, to have no
// predecessor.
func (r Record) checkChain(c *check) {
	first := r.Generation == 1 && r.State == RecordActive && r.PreviousRevision == nil
	c.that(first || r.PreviousRevision != nil, "previousRevision", "is missing")
}

func (r Record) checkState(c *check) {
	switch r.State {
	case RecordActive:
		c.that(r.Release == nil, "release", "is set on an active record")
	case RecordIdle:
		ok := r.Release != nil && (*r.Release == ReleaseAcknowledged || *r.Release == ReleaseForced)
		c.that(ok, "release", "is neither acknowledged nor forced on an idle record")
	default:
		c.that(false, "state", "is neither active nor idle")
	}
}

// checkForced ties a forced release, and a missing owner, to the marker that explains
// it.
func (r Record) checkForced(c *check) {
	forced := r.Release != nil && *r.Release == ReleaseForced
	c.that(r.Owner != nil || forced, "owner", "is missing on a record that no quarantine published")
	m := r.LastForcedRecovery
	if !forced || c.err != nil {
		return
	}
	c.that(m != nil, "lastForcedRecovery", "is missing on a forced release")
	if m == nil {
		return
	}
	c.that(m.PreviousRevision == *r.PreviousRevision, "lastForcedRecovery.previousRevision", "is not previousRevision")
	c.that((r.Owner == nil) == (m.DisplacedOperationID == nil), "lastForcedRecovery.displacedOperationId", "does not fit owner")
	if m.DisplacedGeneration != nil && r.Owner != nil && c.err == nil {
		c.that(r.Generation == *m.DisplacedGeneration+1, "generation", "is not displacedGeneration + 1")
		c.that(r.Owner.OperationID == *m.DisplacedOperationID, "lastForcedRecovery.displacedOperationId", "is not the owner's")
	}
}

func (o *Owner) check(c *check) {
	c.that(isKind(o.Kind), "owner.kind", kindRule)
	c.name("owner.user", o.User)
	c.name("owner.host", o.Host)
	c.that(o.BootID == nil || isUUID(*o.BootID), "owner.bootId", "is not a lowercase uuid")
	c.that(o.PID >= 1, "owner.pid", "is not positive")
	c.name("owner.program", o.Program)
	c.that(!strings.Contains(o.Program, "/"), "owner.program", "is not a base name")
	c.time("owner.acquiredAt", o.AcquiredAt)
}

func (s Session) check(c *check) {
	if r := s.Runtime; r != nil {
		c.that(isKind(r.Kind), "session.runtime.kind", kindRule)
		c.that(r.Handle != "", "session.runtime.handle", "is empty")
		c.text("session.runtime.handle", r.Handle)
	}
	if s.Resume != nil {
		c.text("session.resume", *s.Resume)
	}
	c.optionalPath("session.worktree", s.Worktree)
	c.optionalPath("session.transcript", s.Transcript)
	c.optionalPath("session.tracker", s.Tracker)
}

var outcomes = []Outcome{OutcomeUnknown, OutcomeDone, OutcomeFailed, OutcomeSkipped, OutcomeTimedOut, OutcomeRequeued}

func (m *ForcedRecovery) check(c *check) {
	const at = "lastForcedRecovery."
	known := m.DisplacedGeneration != nil
	c.that(known == (m.DisplacedOperationID != nil), at+"displacedGeneration", "is known without displacedOperationId or the other way round")
	c.that(!known || *m.DisplacedGeneration >= 1 && *m.DisplacedGeneration < MaxGeneration, at+"displacedGeneration", "is out of range")
	c.time(at+"recoveredAt", m.RecoveredAt)
	c.name(at+"actor", m.Actor)
	c.text(at+"reason", m.Reason)
	c.that(m.Liveness == Gone || m.Liveness == Unproven, at+"liveness", "is neither gone nor unproven")
	c.that(m.Survivors != nil, at+"survivors", "is null")
	for _, s := range m.Survivors {
		c.that(s.PID >= 1, at+"survivors", "name a pid that is not positive")
		c.name(at+"survivors.program", s.Program)
	}
	c.that(m.Cleanup == CleanupUnproved || m.Cleanup == CleanupProved, at+"cleanup", "is neither unproved nor proved")
	c.that(slices.Contains(outcomes, m.Outcome), at+"outcome", "is not an outcome")
	c.that(m.Evidence == nil || len(*m.Evidence) == 64 && isLowerHex(*m.Evidence), at+"evidence", "is not 64 lowercase hex digits")
}
