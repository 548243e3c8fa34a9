package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v3"

	"holdfast/lease"
	"holdfast/ownership"
)

// usageError says which argument is wrong and what it takes.
type usageError struct {
	command string // in full, like "session recover"; "" is not known
	why     string
}

func (e *usageError) Error() string { return e.why }

func (e *usageError) next() []lease.Next {
	argv := append(strings.Fields(cmp.Or(e.command, "session")), "--help")
	return []lease.Next{{Why: "see what it takes", Argv: argv}}
}

func wrong(c *urfave.Command, format string, args ...any) error {
	return &usageError{command: c.FullName(), why: fmt.Sprintf(format, args...)}
}

// explainUsage says in our words what the library found wrong. It has no types to
// tell its errors apart.
func explainUsage(_ context.Context, c *urfave.Command, err error, _ bool) error {
	var known *usageError
	if errors.As(err, &known) {
		return known
	}
	msg := err.Error()
	if name, ok := strings.CutPrefix(msg, "flag provided but not defined: -"); ok {
		return wrong(c, "%q is no option of %q", dashed(strings.TrimLeft(name, "-")), c.FullName())
	}
	if name, ok := strings.CutPrefix(msg, "flag needs an argument: "); ok {
		return wrong(c, "%s is without its value: it takes %s", name, takes(c, strings.TrimLeft(name, "-")))
	}
	if rest, ok := strings.CutPrefix(msg, "invalid value "); ok {
		return wrongValue(c, rest)
	}
	return wrong(c, "%s", msg)
}

// wrongValue explains what follows "invalid value": "%q for flag -%s: %v".
func wrongValue(c *urfave.Command, rest string) error {
	const sep = " for flag -"
	i := strings.LastIndex(rest, sep)
	if i < 0 {
		return wrong(c, "invalid value %s", rest)
	}
	name, why, _ := strings.Cut(rest[i+len(sep):], ": ")
	if why == "can't duplicate this flag" {
		return wrong(c, "%s is given twice", dashed(name))
	}
	return wrong(c, "%s %s: it takes %s", dashed(name), rest[:i], takes(c, name))
}

// takes returns what an option's value is, from its help text.
func takes(c *urfave.Command, name string) string {
	for _, at := range c.Lineage() {
		for _, f := range at.Flags {
			doc, ok := f.(urfave.DocGenerationFlag)
			if ok && slices.Contains(f.Names(), name) {
				return valueOf(doc)
			}
		}
	}
	return "a value"
}

func valueOf(f urfave.DocGenerationFlag) string {
	if !f.TakesValue() {
		return "no value, or true or false"
	}
	return strings.ReplaceAll(f.GetUsage(), "`", "")
}

func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// positional returns the arguments of c, one for each name, or says which one is
// missing or too many.
func positional(c *urfave.Command, names ...string) ([]string, error) {
	args := c.Args().Slice()
	if len(args) < len(names) {
		return nil, wrong(c, "%s is missing: %q takes %s", names[len(args)], c.FullName(), c.ArgsUsage)
	}
	if len(args) > len(names) {
		return nil, wrong(c, "%q is one argument too many: %q takes %s", args[len(names)], c.FullName(), argsUsage(c))
	}
	return args, nil
}

func argsUsage(c *urfave.Command) string {
	if c.ArgsUsage == "" {
		return "none"
	}
	return c.ArgsUsage
}

// noCommand answers a command line that names no command, or one that does not exist. An
// option can ask for an answer all the same.
func (v *invocation) noCommand(_ context.Context, c *urfave.Command) error {
	name := c.Args().First()
	if v.version {
		v.tellVersion()
		return nil
	}
	if name == "" {
		return wrong(c, "no command is given: want one of %s", commandNames(c))
	}
	return wrong(c, "%q is no command: want one of %s", name, commandNames(c))
}

func commandNames(c *urfave.Command) string {
	var names []string
	for _, sub := range c.VisibleCommands() {
		names = append(names, sub.Name)
	}
	return strings.Join(names, ", ")
}

func notEmpty(s string) error {
	if s == "" {
		return errors.New("it is empty")
	}
	return nil
}

// parseStates reads a list of states, separated by commas.
func parseStates(s string) ([]ownership.State, error) {
	var states []ownership.State
	for word := range strings.SplitSeq(s, ",") {
		if !slices.Contains(ownership.States, ownership.State(word)) {
			return nil, fmt.Errorf("state %.80q is none of %s", word, joined(ownership.States))
		}
		states = append(states, ownership.State(word))
	}
	return states, nil
}

// alternatives are words of which one was wanted.
func alternatives[S ~string](all []S) string { return strings.ReplaceAll(joined(all), ", ", " or ") }

func joined[S ~string](all []S) string {
	words := make([]string, len(all))
	for i, s := range all {
		words[i] = string(s)
	}
	return strings.Join(words, ", ")
}
