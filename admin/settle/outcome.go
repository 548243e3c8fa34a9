package settle

import "holdfast/ownership"

// Decider is who decided an outcome.
type Decider string

// Nobody decided where neither a verdict nor the agent did.
const (
	DecidedByVerdict Decider = "verdict"
	DecidedByAgent   Decider = "agent"
	DecidedByNone    Decider = "none"
)

// Outcome is what an execution achieved, as far as it was settled. Its JSON is what the
// command line prints.
type Outcome struct {
	Key         *string              `json:"key"`
	KeyDigest   ownership.Digest     `json:"keyDigest"`
	Outcome     ownership.Outcome    `json:"outcome"` // unknown only where nothing settles it here
	DecidedBy   Decider              `json:"decidedBy"`
	Source      *Source              `json:"source"`      // nil where nobody decided
	Reason      string               `json:"reason"`      // at most MaxReasonSize bytes
	CompletedAt *ownership.Timestamp `json:"completedAt"` // when the agent stopped writing; nil where that is not known
	Notes       []string             `json:"notes"`       // what was ignored, and why; never nil
}

// decided says who decided what.
func (o *Outcome) decided(by Decider, what ownership.Outcome, from Source, reason string) {
	o.DecidedBy, o.Outcome, o.Source, o.Reason = by, what, &from, Cut(reason, MaxReasonSize)
}

// maxNoteSize bounds a note in bytes.
const maxNoteSize = 1024

func (o *Outcome) note(s string) { o.Notes = append(o.Notes, Cut(s, maxNoteSize)) }
