package cli

import (
	"context"
	"fmt"

	urfave "github.com/urfave/cli/v3"

	"holdfast/admin/settle"
)

func (v *invocation) verdictCommand() *urfave.Command {
	c := &urfave.Command{
		ArgsUsage: "set|show|clear|settle|prune",
		Description: "A verdict is an orchestrator's decision about one execution. It never changes who owns\n" +
			"a session.",
		Commands: []*urfave.Command{
			v.verdictSetCommand(),
			v.verdictShowCommand(),
			v.verdictClearCommand(),
			v.verdictSettleCommand(),
			v.verdictPruneCommand(),
		},
		HideHelpCommand: true,
		Action:          noSubcommand,
	}
	for _, sub := range c.Commands {
		sub.OnUsageError = explainUsage
		sub.CommandNotFound = showSubcommandHelp
	}
	return c
}

func noSubcommand(_ context.Context, c *urfave.Command) error {
	if name := c.Args().First(); name != "" {
		return wrong(c, "%q is no command of %q: want one of %s", name, c.FullName(), commandNames(c))
	}
	return wrong(c, "no command of %q is given: want one of %s", c.FullName(), commandNames(c))
}

// showSubcommandHelp answers --help behind an argument, as showOwnHelp does.
func showSubcommandHelp(ctx context.Context, c *urfave.Command, _ string) {
	_ = urfave.ShowCommandHelp(ctx, c.Lineage()[1], c.Name)
}

func (v *invocation) verdictSetCommand() *urfave.Command {
	return &urfave.Command{
		Name:      "set",
		Usage:     "record a verdict on the latest execution of a session, in the place of an earlier one",
		ArgsUsage: "[KEY | --digest HEX] --outcome OUTCOME --source SOURCE",
		Description: "'session run' sets SESSION_KEY, SESSION_GENERATION and SESSION_OPERATION_ID, which stand\n" +
			"in for KEY, --generation and --id. Without them it is the execution that the record tells\n" +
			"of; a verdict on any other one is refused.",
		Flags: []urfave.Flag{
			digestFlag(),
			&urfave.StringFlag{Name: "outcome", Usage: "`OUTCOME`: one of " + joined(settle.Decisions), OnlyOnce: true},
			&urfave.StringFlag{Name: "source", Usage: "`SOURCE` of the decision: one of " + joined(settle.Sources), OnlyOnce: true},
			&urfave.StringFlag{Name: "reason", Usage: fmt.Sprintf("`TEXT` that says why, at most %d bytes", settle.MaxReasonSize), OnlyOnce: true},
			&urfave.StringFlag{Name: "generation", Usage: "`N`, the generation of the execution", OnlyOnce: true},
			&urfave.StringFlag{Name: "id", Usage: "`ID`, the operation id of the execution: 32 lowercase hex digits", OnlyOnce: true},
		},
		Action: v.verdictSet,
	}
}

func (v *invocation) verdictShowCommand() *urfave.Command {
	return &urfave.Command{
		Name:      "show",
		Usage:     "show the verdict that is stored for a session, and whether it counts",
		ArgsUsage: "KEY | --digest HEX",
		Flags:     []urfave.Flag{digestFlag()},
		Action:    v.verdictShow,
	}
}

func (v *invocation) verdictClearCommand() *urfave.Command {
	return &urfave.Command{
		Name:      "clear",
		Usage:     "remove the verdict that is stored for a session",
		ArgsUsage: "KEY | --digest HEX",
		Flags:     []urfave.Flag{digestFlag()},
		Action:    v.verdictClear,
	}
}

func (v *invocation) verdictSettleCommand() *urfave.Command {
	return &urfave.Command{
		Name:      "settle",
		Usage:     "say what the latest execution of a session achieved; it changes nothing",
		ArgsUsage: "KEY | --digest HEX",
		Description: "A verdict decides; else the agent's own TASK_DONE, TASK_FAILED or TASK_SKIPPED, alone on\n" +
			fmt.Sprintf("one of the last %d lines of its transcript; else it is requeued.", settle.SignalLines),
		Flags: []urfave.Flag{
			digestFlag(),
			&urfave.StringFlag{Name: "transcript", Usage: "`FILE` that the agent wrote (default: the one that the record names)", OnlyOnce: true},
		},
		Action: v.verdictSettle,
	}
}

func (v *invocation) verdictPruneCommand() *urfave.Command {
	return &urfave.Command{
		Name:        "prune",
		Usage:       "remove old verdicts of every session",
		Description: "It keeps those on executions that have not been settled, and those that cannot be used.",
		Flags: []urfave.Flag{
			&urfave.StringFlag{Name: "before", Usage: "`DUR` ago that a verdict must have been written before, such as 90m, 36h or 7d", OnlyOnce: true},
			&urfave.BoolFlag{Name: "dry-run", Usage: "show what would be done, and change nothing"},
		},
		Action: v.verdictPrune,
	}
}
