package settle

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"holdfast/ownership"
)

// MaxReasonSize is the largest size of a reason in bytes.
const MaxReasonSize = ownership.MaxTextSize

// Verdict is what an orchestrator decided that one execution achieved.
type Verdict struct {
	KeyDigest  ownership.Digest      `json:"keyDigest"`
	Generation ownership.Generation  `json:"generation"`
	ID         ownership.OperationID `json:"id"` // the owner's operation id
	Outcome    Decision              `json:"outcome"`
	Source     Source                `json:"source"`
	Reason     string                `json:"reason"` // at most MaxReasonSize bytes
	WrittenAt  ownership.Timestamp   `json:"writtenAt"`
}

// Place returns the execution that v is about.
func (v Verdict) Place() Place { return Place{v.KeyDigest, v.Generation, v.ID} }

// check returns a [*ownership.FieldError] for a member that breaks a rule.
func (v Verdict) check() error {
	_, timeErr := v.WrittenAt.MarshalText()
	for _, rule := range []struct{ field, broken string }{
		{"generation", generationFault(v.Generation)},
		{"outcome", oneOf(v.Outcome, Decisions)},
		{"source", oneOf(v.Source, Sources)},
		{"reason", reasonFault(v.Reason)},
		{"writtenAt", faultOf(timeErr)},
	} {
		if rule.broken != "" {
			return &ownership.FieldError{Field: rule.field, Why: rule.broken}
		}
	}
	return nil
}

func generationFault(g ownership.Generation) string {
	if g < 1 || g > ownership.MaxGeneration {
		return "is out of range"
	}
	return ""
}

func reasonFault(s string) string {
	if len(s) > MaxReasonSize || !utf8.ValidString(s) {
		return fmt.Sprintf("is not at most %d bytes of UTF-8", MaxReasonSize)
	}
	return ""
}

func faultOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// withholds reports whether v keeps an agent from being believed that is done.
func (v Verdict) withholds() bool {
	rest, ok := strings.CutPrefix(strings.TrimSpace(v.Reason), ReviewPending)
	return v.Outcome == DecisionInProgress && ok && !beginsWord(rest)
}

func beginsWord(s string) bool {
	r, size := utf8.DecodeRuneInString(s)
	return size > 0 && (r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
}
