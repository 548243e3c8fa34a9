package admin

import (
	"strings"

	"holdfast/lease"
	"holdfast/ownership"
)

// Target names a session by key, or by digest where there is no key to type.
type Target struct {
	Key    *ownership.Key // nil where only the digest is known
	Digest ownership.Digest
}

// ByKey names the session whose key is k.
func ByKey(k ownership.Key) Target { return Target{Key: &k, Digest: k.Digest()} }

// ByDigest names the session whose key has the digest d.
func ByDigest(d ownership.Digest) Target { return Target{Digest: d} }

// shown returns the key that a record keeps or, where it keeps none, the one that
// was typed.
func (t Target) shown(kept *string) *string {
	if kept != nil || t.Key == nil {
		return kept
	}
	typed := t.Key.String()
	return &typed
}

// address returns the words that name an inspection's session on a command line. A
// key that looks like a flag, also behind spaces, is named by its digest.
func address(i lease.Inspection) []string {
	if i.Key != nil && !strings.HasPrefix(strings.TrimSpace(*i.Key), "-") {
		return []string{*i.Key}
	}
	return []string{"--digest", i.KeyDigest.String()}
}
