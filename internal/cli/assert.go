package cli

import (
	"context"
	"fmt"
	"slices"

	urfave "github.com/urfave/cli/v3"

	"holdfast/admin"
	"holdfast/lease"
	"holdfast/ownership"
)

func (v *invocation) assertCommand() *urfave.Command {
	return &urfave.Command{
		ArgsUsage:   "KEY STATE[,STATE…] | --digest HEX STATE[,STATE…]",
		Description: "States: " + joined(ownership.States) + ".",
		Flags:       []urfave.Flag{digestFlag()},
		Action:      v.assert,
	}
}

func (v *invocation) assert(ctx context.Context, c *urfave.Command) error {
	t, args, err := target(c, "STATE")
	if err != nil {
		return err
	}
	states, err := parseStates(args[0])
	if err != nil {
		return wrong(c, "STATE: %v", err)
	}
	s, err := v.openStore(becomeOwner)
	if err != nil {
		return err
	}
	i, err := admin.Inspect(ctx, s, t)
	if err != nil {
		return err
	}
	if !slices.Contains(states, i.State) {
		msg := fmt.Sprintf("session %s is %s, not %s", i.Name(), i.State, alternatives(states))
		return &lease.Refusal{Reason: ownership.ReasonAssertionFailed, Message: msg, Inspection: i}
	}
	i = v.shown(i)
	v.answer(i, func(p *page) { p.line(p.ink.bold(title(i)) + " is " + p.ink.state(i.State)) })
	return nil
}
