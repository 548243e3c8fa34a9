package cli

import (
	"context"
	"strconv"
	"strings"

	urfave "github.com/urfave/cli/v3"
)

func (v *invocation) helpCommand() *urfave.Command {
	return &urfave.Command{
		ArgsUsage: "[COMMAND [SUBCOMMAND]]",
		Action: func(ctx context.Context, c *urfave.Command) error {
			parent, named, err := commandNamed(c)
			if err != nil {
				return err
			}
			if parent == nil {
				return urfave.ShowRootCommandHelp(named)
			}
			return urfave.ShowCommandHelp(ctx, parent, named.Name)
		},
	}
}

// commandNamed walks from the root down the names in the arguments. Without a name it
// is the root, which has no parent.
func commandNamed(c *urfave.Command) (parent, named *urfave.Command, err error) {
	named = c.Root()
	for _, name := range c.Args().Slice() {
		if len(named.VisibleCommands()) == 0 {
			return nil, nil, wrong(c, "%q is one argument too many: %q has no subcommands", name, named.Name)
		}
		child := named.Command(name)
		if child == nil {
			return nil, nil, wrong(c, "%q is no command: want one of %s", name, commandNames(named))
		}
		parent, named = named, child
	}
	return parent, named, nil
}

// showOwnHelp answers --help behind an argument, which the library takes for the name
// of a command to be explained.
func showOwnHelp(ctx context.Context, c *urfave.Command, _ string) {
	_ = urfave.ShowCommandHelp(ctx, c.Lineage()[1], c.Name)
}

// exitCodes lists what the exit codes mean, out of the table that decides them.
func exitCodes() string {
	var b strings.Builder
	b.Grow(1 << 10) // it is made at every start
	b.WriteString("Exit codes: 0 done, and the answer delivered")
	for n, row := range exits {
		sep := ", "
		if n%4 == 0 {
			sep = ",\n"
		}
		b.WriteString(sep + strconv.Itoa(row.code) + " " + string(row.reason))
	}
	return b.String() + ".\n'run' otherwise exits as its command does: 126, 127 and 128+n as in a shell."
}
