package cli

import (
	"context"
	_ "embed"

	urfave "github.com/urfave/cli/v3"
)

// bashCompletion stands in for the library's script, which evaluates the words that
// are being typed.
//
//go:embed completion.bash
var bashCompletion string

// configureCompletion shows the library's completion command and makes it refuse what
// is no shell.
func (v *invocation) configureCompletion(c *urfave.Command) {
	c.Hidden = false
	c.Usage = "print a completion script for bash, zsh, fish or pwsh"
	c.ArgsUsage = "SHELL"
	c.Description = "For bash: source <(session completion bash)\nFor zsh:  source <(session completion zsh)\nFor fish: session completion fish > ~/.config/fish/completions/session.fish"
	c.OnUsageError = explainUsage
	c.Action = noShell
	for _, shell := range c.Commands {
		shell.OnUsageError = explainUsage
		shell.Action = v.script(shell.Action)
		if shell.Name == "bash" {
			shell.Action = v.script(func(context.Context, *urfave.Command) error {
				_, err := v.stdout.Write([]byte(bashCompletion))
				return err
			})
		}
	}
}

// script checks that nothing is left over, and leaves a script that could not be
// written to the stream, which remembers it.
func (v *invocation) script(write urfave.ActionFunc) urfave.ActionFunc {
	return func(ctx context.Context, c *urfave.Command) error {
		if _, err := positional(c); err != nil {
			return err
		}
		if err := write(ctx, c); v.stdout.fault == nil {
			return err
		}
		return nil
	}
}

func noShell(_ context.Context, c *urfave.Command) error {
	if name := c.Args().First(); name != "" {
		return wrong(c, "SHELL %q: it takes bash, zsh, fish or pwsh", name)
	}
	return wrong(c, "SHELL is missing: it takes bash, zsh, fish or pwsh")
}
