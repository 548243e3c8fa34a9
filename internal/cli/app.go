package cli

import (
	"context"
	"io"
	"os"

	urfave "github.com/urfave/cli/v3"
)

// Main runs one command line, program name first, and returns the exit code. A store that
// is no directory is left to the command that knows it.
func Main(args []string) int { return MainWith(args, nil) }

// MainWith is [Main] for a command that opens itself what is no directory.
func MainWith(args []string, remote Opener) (code int) {
	v := &invocation{args: args, remote: remote, stdout: stream{file: os.Stdout}, stderr: stream{file: os.Stderr}}
	defer v.closeStores()
	defer func() {
		if p := recover(); p != nil {
			code = v.exit(caught(p))
		}
	}()
	if len(args) == 2 && args[1] == "--version" { // the option of every program: beside others the parser knows it
		v.tellVersion()
		return v.exit(nil)
	}
	growStack(len(args))
	return v.exit(v.root(args).Run(context.Background(), args))
}

// growStack makes the stack at once as large as taking a command line apart has it. It would
// be doubled again and again, and copied each time with more on it: a thirtieth of a start.
//
//go:noinline
func growStack(n int) byte {
	var room [24 << 10]byte
	return room[n%len(room)]
}

// invocation is one run of the command: what was asked of it as a whole, where its
// answers go, and what it did so far.
type invocation struct {
	args           []string // as typed, program name first
	remote         Opener   // nil: another command has it
	storeFlag      string
	json           bool
	quiet          bool
	version        bool
	noColor        bool
	allowNetworkFS bool

	stdout, stderr stream
	jsonTo         *stream  // where refusals go as JSON; nil is stdout
	location       location // of the store, once it was looked for
	published      bool     // something in a store was changed
	uncompressed   int64    // bytes of archives in snapshots that were taken on the way
	opened         []io.Closer
}

// root returns the program as a command that is about to be run with args.
func (v *invocation) root(args []string) *urfave.Command {
	root := &urfave.Command{
		Name:            "session",
		Usage:           "who owns an agent's session, and whether that owner proved that it stopped",
		Description:     exitCodes(),
		Commands:        v.commands(args),
		Flags:           v.globalFlags(),
		HideHelpCommand: true, // it would take the keys "help" and "h" away from every command
		Writer:          &v.stdout,
		ErrWriter:       &v.stderr,
		// Without it the library ends the process inside Run.
		ExitErrHandler:                  func(context.Context, *urfave.Command, error) {},
		EnableShellCompletion:           true,
		ConfigureShellCompletionCommand: v.configureCompletion,
		Before:                          v.versionAlone,
		Action:                          v.noCommand,
	}
	root.OnUsageError = explainUsage
	inOurWords(root.Commands)
	v.handingOver(root.Commands)
	return root
}

// inOurWords makes commands and what is below them explain wrong usage as we do.
func inOurWords(all []*urfave.Command) {
	for _, c := range all {
		c.OnUsageError = explainUsage
		c.CommandNotFound = showOwnHelp
		inOurWords(c.Commands)
	}
}

func (v *invocation) globalFlags() []urfave.Flag {
	return []urfave.Flag{
		&urfave.StringFlag{Name: "store", Usage: "the `DIR` of the store, or etcd://HOST:PORT/PREFIX (else HOLDFAST_STORE, else $XDG_STATE_HOME/holdfast)", Destination: &v.storeFlag, OnlyOnce: true, Validator: notEmpty},
		&urfave.BoolFlag{Name: "json", Usage: "answer in JSON, refusals included", Destination: &v.json},
		&urfave.BoolFlag{Name: "quiet", Usage: "one line for a refusal, and no remarks", Destination: &v.quiet},
		&urfave.BoolFlag{Name: "no-color", Usage: "no colours (NO_COLOR and CI are obeyed too)", Destination: &v.noColor},
		&urfave.BoolFlag{Name: "allow-network-fs", Usage: "use a store on a network file system, whose locks may not exclude", Destination: &v.allowNetworkFS},
		&urfave.BoolFlag{Name: "version", Usage: "say which build this is, and do nothing else", Destination: &v.version, Local: true},
	}
}
