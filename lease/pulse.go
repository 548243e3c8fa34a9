package lease

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"holdfast/ownership"
)

// Phase is what an owner says it is doing.
type Phase string

// The phases. Abandoned is written by an owner that leaves its session stranded on
// purpose while its process lives on.
const (
	PhaseWorking      Phase = "working"
	PhaseWaitingInput Phase = "waiting-input"
	PhaseIdle         Phase = "idle"
	PhaseStopping     Phase = "stopping"
	PhaseAbandoned    Phase = "abandoned"
)

// Phases lists every phase.
var Phases = []Phase{PhaseWorking, PhaseWaitingInput, PhaseIdle, PhaseStopping, PhaseAbandoned}

// MaxNoteSize is the largest size of a pulse's note in bytes.
const MaxNoteSize = 1024

// Pulse is the latest sign of progress of one generation's owner. It is evidence
// only: neither its presence nor its age ever changes who owns a session.
type Pulse struct {
	Generation ownership.Generation `json:"generation"`
	Phase      Phase                `json:"phase"`
	Note       string               `json:"note"`
	At         ownership.Timestamp  `json:"at"`
}

// ParsePhase returns s as a phase, or an error that lists the phases.
func ParsePhase(s string) (Phase, error) {
	if slices.Contains(Phases, Phase(s)) {
		return Phase(s), nil
	}
	words := make([]string, len(Phases))
	for i, p := range Phases {
		words[i] = string(p)
	}
	return "", fmt.Errorf("phase %.80q is none of %s", s, strings.Join(words, ", "))
}

// ReadPulse returns the latest pulse of a session, whatever its generation, or nil.
func ReadPulse(ctx context.Context, s Store, d ownership.Digest) (*Pulse, error) {
	return DecodePulse(s.Pulse(ctx, d))
}

// DecodePulse reads what a store answered for a pulse: nil where there is none. An error of
// the store is returned as it is.
func DecodePulse(b []byte, err error) (*Pulse, error) {
	if err != nil || b == nil {
		return nil, err
	}
	var p Pulse
	if err := json.Unmarshal(b, &p); err != nil {
		return nil, fmt.Errorf("pulse is not readable: %w", err)
	}
	if _, err := ParsePhase(string(p.Phase)); err != nil {
		return nil, fmt.Errorf("pulse is not readable: %w", err)
	}
	return &p, nil
}

// WritePulse replaces the pulse of a session. The caller has checked that
// p.Generation is the one in force.
func WritePulse(ctx context.Context, s Store, d ownership.Digest, p Pulse) error {
	if err := checkNote(p.Note); err != nil {
		return err
	}
	b, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	return s.SetPulse(ctx, d, append(b, '\n'))
}

func checkNote(note string) error {
	if len(note) > MaxNoteSize || !utf8.ValidString(note) {
		return &ownership.FieldError{Field: "note", Why: fmt.Sprintf("is not at most %d bytes of UTF-8", MaxNoteSize)}
	}
	return nil
}
