package cli

import (
	"context"
	"fmt"
	"time"

	urfave "github.com/urfave/cli/v3"

	"holdfast/admin"
	"holdfast/lease"
	"holdfast/ownership"
)

func (v *invocation) pulseCommand() *urfave.Command {
	return &urfave.Command{
		ArgsUsage: "[KEY | --digest HEX] --phase PHASE",
		Description: "For hooks of an agent: 'session run' sets SESSION_KEY and SESSION_GENERATION, which\n" +
			"stand in for KEY and --generation. A pulse is evidence and never changes who owns a\n" +
			"session; one for a generation that is not in force is refused.",
		Flags: []urfave.Flag{
			digestFlag(),
			&urfave.StringFlag{Name: "generation", Usage: "`N`, the generation that the owner acquired (default: $SESSION_GENERATION)", OnlyOnce: true},
			&urfave.StringFlag{Name: "phase", Usage: "`PHASE`: one of " + joined(hookPhases), OnlyOnce: true},
			&urfave.StringFlag{Name: "note", Usage: fmt.Sprintf("`TEXT` to show, at most %d bytes", lease.MaxNoteSize), OnlyOnce: true},
		},
		Action: v.pulse,
	}
}

// hookPhases are the phases that can be typed. Abandoned is not among them: it makes
// an owner whose process lives count as gone, so only the owner itself may say it.
var hookPhases = []lease.Phase{lease.PhaseWorking, lease.PhaseWaitingInput, lease.PhaseIdle, lease.PhaseStopping}

func (v *invocation) pulse(ctx context.Context, c *urfave.Command) error {
	t, err := pulseTarget(c)
	if err != nil {
		return err
	}
	p, err := pulseFlags(c)
	if err != nil {
		return err
	}
	s, err := v.openStore(becomeOwner)
	if err != nil {
		return err
	}
	i, err := admin.Inspect(ctx, s, t)
	if err != nil {
		return err
	}
	if err := inForce(i, p.Generation); err != nil {
		return err
	}
	p.At = ownership.At(time.Now())
	if err := lease.WritePulse(ctx, s, t.Digest, p); err != nil {
		return err
	}
	v.published = true
	v.answer(p, func(*page) {}) // a hook has nobody to tell
	return nil
}
