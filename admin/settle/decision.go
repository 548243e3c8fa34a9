package settle

import (
	"fmt"
	"slices"
	"strings"
)

// Decision is what a verdict says of an execution.
type Decision string

// The decisions. Pending sends the work back; in_progress leaves the last word to the
// agent, but for [ReviewPending].
const (
	DecisionDone       Decision = "done"
	DecisionFailed     Decision = "failed"
	DecisionSkipped    Decision = "skipped"
	DecisionTimedOut   Decision = "timed_out"
	DecisionPending    Decision = "pending"
	DecisionInProgress Decision = "in_progress"
)

// Decisions lists every decision.
var Decisions = []Decision{DecisionDone, DecisionFailed, DecisionSkipped, DecisionTimedOut, DecisionPending, DecisionInProgress}

// ReviewPending is the reason, or its first word, by which an in_progress verdict
// withholds belief from an agent that says it is done.
const ReviewPending = "review_pending"

// oneOf says that a word is none of those allowed, or "".
func oneOf[S ~string](word S, all []S) string {
	if slices.Contains(all, word) {
		return ""
	}
	words := make([]string, len(all))
	for i, s := range all {
		words[i] = string(s)
	}
	return fmt.Sprintf("%.80q is none of %s", word, strings.Join(words, ", "))
}
