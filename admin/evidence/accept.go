package evidence

import (
	"fmt"
	"slices"
	"strings"
)

// Acceptance is what a person goes on in spite of.
type Acceptance int

// What can be accepted.
const (
	// AcceptMissing goes without a worktree or tracker that is gone or is none, and says so in the snapshot.
	AcceptMissing Acceptance = 1 << iota
	// AcceptNotDatabase makes a tracker that SQLite does not know no finding: there is the raw copy.
	AcceptNotDatabase
	// AcceptDamage makes a tracker whose integrity check fails no finding.
	AcceptDamage
	// AcceptLittleSpace tries although the snapshot may not fit.
	AcceptLittleSpace
)

var acceptances = []struct {
	word string
	is   Acceptance
}{
	{"missing", AcceptMissing},
	{"not-a-database", AcceptNotDatabase},
	{"damage", AcceptDamage},
	{"little-space", AcceptLittleSpace},
}

// AcceptanceWords lists what [ParseAcceptance] knows.
func AcceptanceWords() (words []string) {
	for _, a := range acceptances {
		words = append(words, a.word)
	}
	return words
}

// Words returns what [ParseAcceptance] reads as a.
func (a Acceptance) Words() (words []string) {
	for _, one := range acceptances {
		if a&one.is != 0 {
			words = append(words, one.word)
		}
	}
	return words
}

// ParseAcceptance reads words, separated by commas.
func ParseAcceptance(s string) (all Acceptance, err error) {
	for word := range strings.SplitSeq(s, ",") {
		i := slices.Index(AcceptanceWords(), word)
		if i < 0 {
			return 0, fmt.Errorf("%.80q is none of %s", word, strings.Join(AcceptanceWords(), ", "))
		}
		all |= acceptances[i].is
	}
	return all, nil
}
