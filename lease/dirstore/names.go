package dirstore

import (
	"encoding/hex"
	"strconv"
	"strings"

	"holdfast/ownership"
)

// Names of the store and of a session's directory.
const (
	markerName     = "holdfast.store"
	sessionsName   = "sessions"
	quarantineName = "quarantine"
	journalName    = "journal.db"
	recordName     = "record.json"
	pulseName      = "pulse.json"

	lifePrefix, kinPrefix   = "life.", "kin."
	nextPrefix, revPrefix   = "next.", "rev."
	pulsePrefix, jsonSuffix = pulseName + ".", ".json"

	pulseRandomSize = 8 // bytes, in hex
)

func lifeName(g ownership.Generation) string { return lifePrefix + decimal(g) }
func kinName(g ownership.Generation) string  { return kinPrefix + decimal(g) }
func nextName(g ownership.Generation) string { return nextPrefix + decimal(g) + jsonSuffix }
func revName(r ownership.Revision) string    { return revPrefix + r.String() + jsonSuffix }

func decimal(g ownership.Generation) string { return strconv.FormatUint(uint64(g), 10) }

func lockName(g ownership.Generation, l ownership.Lock) string {
	if l == ownership.KinLock {
		return kinName(g)
	}
	return lifeName(g)
}

// generationName returns the generation of a name made of prefix, generation and
// suffix.
func generationName(name, prefix, suffix string) (ownership.Generation, bool) {
	middle, ok := between(name, prefix, suffix)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseUint(middle, 10, 64)
	g := ownership.Generation(n)
	return g, err == nil && g >= 1 && g <= ownership.MaxGeneration && decimal(g) == middle
}

// revisionName returns the revision of the name of a rev file.
func revisionName(name string) (ownership.Revision, bool) {
	middle, ok := between(name, revPrefix, jsonSuffix)
	if !ok {
		return ownership.Revision{}, false
	}
	r, err := ownership.ParseRevision(middle)
	return r, err == nil
}

// isPulseTemporary reports whether a name is that of a pulse being written.
func isPulseTemporary(name string) bool {
	random, ok := strings.CutPrefix(name, pulsePrefix)
	b, err := hex.DecodeString(random)
	return ok && err == nil && len(b) == pulseRandomSize
}

func between(name, prefix, suffix string) (string, bool) {
	rest, ok := strings.CutPrefix(name, prefix)
	if !ok {
		return "", false
	}
	return strings.CutSuffix(rest, suffix)
}

// isQuarantineName reports whether a name is the digest of a session, a revision and,
// where something else had that name already, a number.
func isQuarantineName(name string) bool {
	parts := strings.Split(name, ".")
	if len(parts) < 2 || len(parts) > 3 {
		return false
	}
	_, errD := ownership.ParseDigest(parts[0])
	_, errR := ownership.ParseRevision(parts[1])
	return errD == nil && errR == nil
}
