package cli

import (
	"context"
	"time"

	urfave "github.com/urfave/cli/v3"

	"holdfast/admin"
)

func (v *invocation) inspectCommand() *urfave.Command {
	return &urfave.Command{
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
	if admin.LooksIntoWork(i) {
		var stop func()
		ctx, stop = interruptible(ctx)
		defer stop()
	}
	found := admin.Classify(ctx, s, i)
	found.Inspection = v.shown(found.Inspection)
	v.answer(found, func(p *page) {
		p.inspection(found.Inspection, time.Now())
		p.classified(found)
		p.next(found.Next)
	})
	return nil
}
