package cli

import (
	"context"
	"time"

	urfave "github.com/urfave/cli/v3"

	"holdfast/admin"
)

func (v *invocation) inspectCommand() *urfave.Command {
	return &urfave.Command{
		Name:      "inspect",
		Usage:     "say what a session is, on what evidence, and what can be typed next",
		ArgsUsage: "KEY | --digest HEX",
		Flags:     []urfave.Flag{digestFlag()},
		Action:    v.inspect,
	}
}

func (v *invocation) inspect(ctx context.Context, c *urfave.Command) error {
	t, _, err := target(c)
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
	i = v.shown(i)
	v.answer(i, func(p *page) {
		p.inspection(i, time.Now())
		p.field("at stake", atStake(i))
		p.next(i.Next)
	})
	return nil
}
