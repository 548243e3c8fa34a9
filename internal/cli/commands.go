package cli

import (
	"slices"

	urfave "github.com/urfave/cli/v3"
)

// entry is one command as help lists it, and what makes the rest of it.
type entry struct {
	name, usage string
	make        func(*invocation) *urfave.Command
}

// allCommands lists every command, in the order in which help shows them.
func allCommands() []entry {
	return []entry{
		{"run", "own a session while a command runs, and prove that all of it has stopped", (*invocation).runCommand},
		{"inspect", "say what a session is, on what evidence, and what can be typed next", (*invocation).inspectCommand},
		{"list", "list the sessions of a store", (*invocation).listCommand},
		{"recover", "end the ownership of an owner that died, by the exact revision that you looked at", (*invocation).recoverCommand},
		{"plan", "propose what can be done about a session, command by command, with how each is taken back", (*invocation).planCommand},
		{"apply", "do what you approve of a plan: exit 0 if all of it is done, else 84", (*invocation).applyCommand},
		{"assert", "exit 0 if a session is in one of the states, else 85", (*invocation).assertCommand},
		{"pulse", "note what the owner of a session is doing, for people to read", (*invocation).pulseCommand},
		{"verdict", "record what an execution achieved, and settle it after its end", (*invocation).verdictCommand},
		{"snapshot", "keep all that is known of a session and its work in one directory, and restore it", (*invocation).snapshotCommand},
		{"reconcile", "look at every session after a crash or a reboot, and recover what is provably gone", (*invocation).reconcileCommand},
		{"history", "tell who had a session, when, for how long, and how it ended", (*invocation).historyCommand},
		{"prune", "archive history and remove what crashes left behind", (*invocation).pruneCommand},
		{"doctor", "check the store: exit 0 if all is well, else 85", (*invocation).doctorCommand},
		{"demo", "own, refuse, crash, inspect, recover: the whole journey in a throw-away store", (*invocation).demoCommand},
		{"help", "show help for the program or for one command", (*invocation).helpCommand},
		{"version", "say which build this is", (*invocation).versionCommand},
	}
}

// commands returns every command. Making all of them whole would cost each start of the
// program more than what it then does: one whose name is nowhere on the command line
// cannot be meant, and is there to be listed only.
func (v *invocation) commands(args []string) []*urfave.Command {
	entries := allCommands()
	all := make([]*urfave.Command, 0, len(entries))
	for _, e := range entries {
		c := &urfave.Command{HideHelp: true}
		if slices.Contains(args, e.name) {
			c = e.make(v)
		}
		c.Name, c.Usage = e.name, e.usage
		all = append(all, c)
	}
	return all
}
