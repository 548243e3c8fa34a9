package cli

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"unicode/utf8"

	urfave "github.com/urfave/cli/v3"

	"holdfast/admin"
	"holdfast/lease"
	"holdfast/ownership"
)

// pulseTarget reads KEY or --digest, else what `run` told its child.
func pulseTarget(c *urfave.Command) (admin.Target, error) {
	key := os.Getenv("SESSION_KEY")
	if c.Args().Present() || c.IsSet("digest") || key == "" {
		t, _, err := target(c)
		return t, err
	}
	k, err := ownership.ParseKey(key)
	if err != nil {
		return admin.Target{}, wrong(c, "SESSION_KEY: %v", err)
	}
	return admin.ByKey(k), nil
}

func pulseFlags(c *urfave.Command) (lease.Pulse, error) {
	generation, err := generationFlag(c)
	if err != nil {
		return lease.Pulse{}, err
	}
	phase := lease.Phase(c.String("phase"))
	switch {
	case !c.IsSet("phase"):
		return lease.Pulse{}, wrong(c, "--phase is missing: it takes %s", takes(c, "phase"))
	case !slices.Contains(hookPhases, phase):
		return lease.Pulse{}, wrong(c, "--phase %.80q: it takes %s", phase, takes(c, "phase"))
	}
	note := c.String("note")
	if len(note) > lease.MaxNoteSize || !utf8.ValidString(note) {
		return lease.Pulse{}, wrong(c, "--note %.80q: it takes a text of at most %d bytes of UTF-8", note, lease.MaxNoteSize)
	}
	return lease.Pulse{Generation: generation, Phase: phase, Note: note}, nil
}

func generationFlag(c *urfave.Command) (ownership.Generation, error) {
	name, word := "--generation", c.String("generation")
	if !c.IsSet("generation") {
		name, word = "SESSION_GENERATION", os.Getenv("SESSION_GENERATION")
	}
	if word == "" {
		return 0, wrong(c, "--generation is missing: it takes %s", takes(c, "generation"))
	}
	n, err := strconv.ParseUint(word, 10, 64)
	if err != nil || n < 1 || ownership.Generation(n) > ownership.MaxGeneration {
		return 0, wrong(c, "%s %.80q: it takes a whole number from 1 to %d", name, word, ownership.MaxGeneration)
	}
	return ownership.Generation(n), nil
}

// inForce refuses a pulse of an owner that is not the one in force.
func inForce(i lease.Inspection, g ownership.Generation) error {
	switch {
	case i.Fault != nil:
		return &lease.Refusal{Reason: ownership.ReasonUnreadableRecord, Message: i.Summary(), Inspection: i}
	case i.Record == nil:
		msg := fmt.Sprintf("generation %d of session %s is not in force: nobody ever acquired it", g, i.Name())
		return &lease.Refusal{Reason: ownership.ReasonOwnershipLost, Message: msg, Inspection: i}
	case i.Record.State != ownership.RecordActive || i.Record.Generation != g:
		msg := fmt.Sprintf("generation %d of session %s is not in force: it is %s, at generation %d", g, i.Name(), i.State, i.Record.Generation)
		return &lease.Refusal{Reason: ownership.ReasonOwnershipLost, Message: msg, Inspection: i}
	}
	return nil
}
