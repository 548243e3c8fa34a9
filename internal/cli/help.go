package cli

import (
	"context"
	"fmt"
	"strings"

	urfave "github.com/urfave/cli/v3"
)

func (v *invocation) helpCommand() *urfave.Command {
	return &urfave.Command{
		Name:      "help",
		Usage:     "show help for the program or for one command",
		ArgsUsage: "[COMMAND]",
		Action: func(ctx context.Context, c *urfave.Command) error {
			root := c.Root()
			if !c.Args().Present() {
				return urfave.ShowRootCommandHelp(root)
			}
			args, err := positional(c, "COMMAND")
			if err != nil {
				return err
			}
			if root.Command(args[0]) == nil {
				return wrong(c, "%q is no command: want one of %s", args[0], commandNames(root))
			}
			return urfave.ShowCommandHelp(ctx, root, args[0])
		},
	}
}

// showOwnHelp answers --help behind an argument, which the library takes for the name
// of a command to be explained.
func showOwnHelp(ctx context.Context, c *urfave.Command, _ string) {
	_ = urfave.ShowCommandHelp(ctx, c.Lineage()[1], c.Name)
}

// exitCodes lists what the exit codes mean, out of the table that decides them.
func exitCodes() string {
	var b strings.Builder
	b.WriteString("Exit codes: 0 done, and the answer delivered")
	for n, row := range exits {
		sep := ", "
		if n%4 == 0 {
			sep = ",\n"
		}
		fmt.Fprintf(&b, "%s%d %s", sep, row.code, row.reason)
	}
	return b.String() + ".\n'run' otherwise exits as its command does: 126, 127 and 128+n as in a shell."
}
