package cli

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v3"

	"holdfast/internal/probe"
	"holdfast/internal/supervise"
	"holdfast/lease"
	"holdfast/ownership"
)

// runRequest is what `run` was asked, checked as far as it can be without a store.
type runRequest struct {
	key          ownership.Key
	argv         []string
	owner        lease.Owner
	note         string
	transcript   string
	linger       supervise.Linger
	grace        time.Duration
	statusFile   string
	conflictExit *int
}

func (v *invocation) parseRun(c *urfave.Command) (r runRequest, err error) {
	if r.key, r.argv, err = v.runArgs(c); err != nil {
		return r, err
	}
	for _, step := range []func(*urfave.Command) error{r.parseEnding, r.parseFiles, r.parseOwner} {
		if err := step(c); err != nil {
			return r, err
		}
	}
	return r, nil
}

// runArgs reads KEY -- CMD [ARG…]. A KEY that was forgotten, or a variable that turned
// out empty, must not make a command's name the key and its argument the command.
func (v *invocation) runArgs(c *urfave.Command) (ownership.Key, []string, error) {
	args := c.Args().Slice()
	if len(args) == 0 {
		return ownership.Key{}, nil, wrong(c, "KEY is missing: %q takes %s", c.FullName(), c.ArgsUsage)
	}
	argv, ok := v.behindDashes(args)
	switch {
	case !ok:
		return ownership.Key{}, nil, wrong(c, "%q takes %s: its options, exactly one KEY, then --, then CMD", c.FullName(), c.ArgsUsage)
	case len(argv) == 0:
		return ownership.Key{}, nil, wrong(c, "CMD is missing: %q takes %s", c.FullName(), c.ArgsUsage)
	case argv[0] == "":
		return ownership.Key{}, nil, wrong(c, "CMD is empty: it takes a program's name or path")
	}
	key, err := ownership.ParseKey(args[0])
	return key, argv, err
}

// behindDashes returns what follows the "--" behind exactly one KEY. The library takes
// the first "--" away, so it is looked for in what was typed.
func (v *invocation) behindDashes(args []string) (argv []string, ok bool) {
	if len(args) > 1 && args[1] == "--" { // an earlier one stood before KEY
		return args[2:], true
	}
	first := slices.Index(v.args, "--")
	return args[1:], first >= 0 && slices.Equal(v.args[first+1:], args[1:])
}

func (r *runRequest) parseEnding(c *urfave.Command) error {
	modes := map[string]supervise.Linger{"wait": supervise.Wait, "kill": supervise.Kill, "strand": supervise.Strand}
	mode, ok := modes[c.String("linger")]
	if !ok {
		return wrong(c, "--linger %q: it takes %s", c.String("linger"), takes(c, "linger"))
	}
	r.linger = mode
	for _, name := range []string{"grace", "wait"} {
		if c.Duration(name) < 0 {
			return wrong(c, "--%s %s: it takes %s, not a negative one", name, c.Duration(name), takes(c, name))
		}
	}
	r.grace = c.Duration("grace")
	if c.IsSet("conflict-exit-code") {
		n := c.Int("conflict-exit-code")
		if n < 0 || n > 255 {
			return wrong(c, "--conflict-exit-code %d: it takes a number from 0 to 255", n)
		}
		r.conflictExit = &n
	}
	return nil
}

func (r *runRequest) parseFiles(c *urfave.Command) (err error) {
	if r.statusFile, err = writableFile(c, "status-file"); err != nil {
		return err
	}
	if r.transcript, err = writableFile(c, "transcript"); err != nil {
		return err
	}
	if r.transcript != "" && r.transcript == r.statusFile {
		return wrong(c, "--transcript and --status-file are both %q: they take two files", r.transcript)
	}
	return nil
}

// writableFile returns the path of a file that can be written as far as a look tells.
func writableFile(c *urfave.Command, name string) (string, error) {
	path, err := absolute(c, name)
	if err != nil || path == "" {
		return path, err
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return "", wrong(c, "--%s %q: it takes a file in a directory that exists", name, path)
	}
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return "", wrong(c, "--%s %q: it takes a file, and no directory, link or device", name, path)
	}
	return path, nil
}

func (r *runRequest) parseOwner(c *urfave.Command) (err error) {
	r.note = c.String("note")
	r.owner = lease.Owner{
		Kind:    c.String("kind"),
		Program: r.argv[0],
		Private: c.Bool("private"),
		Kin:     !c.Bool("close"),
		Wait:    c.Duration("wait"),
	}
	facts := &r.owner.Facts
	if facts.Runtime, err = runtimeFlag(c); err != nil {
		return err
	}
	if facts.Worktree, err = worktreeFlag(c); err != nil {
		return err
	}
	tracker, err := absolute(c, "tracker")
	if err != nil {
		return err
	}
	facts.Resume = given(c.String("resume"))
	facts.Tracker, facts.Transcript = given(tracker), given(r.transcript)
	return blame(c, lease.CheckOwner(r.key, r.owner, r.note))
}

// blame names the option that a member of the record came from.
func blame(c *urfave.Command, err error) error {
	var field *ownership.FieldError
	if !errors.As(err, &field) {
		return err
	}
	for _, name := range []string{"kind", "note", "runtime", "resume", "worktree", "tracker", "transcript"} {
		if slices.Contains(strings.Split(field.Field, "."), name) {
			return wrong(c, "--%s %s: it takes %s", name, field.Why, takes(c, name))
		}
	}
	return wrong(c, "%v", err)
}

// given returns nil for what was not said, which keeps what the record has.
func given(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// absolute returns the path of an option, seen from here, or "".
func absolute(c *urfave.Command, name string) (string, error) {
	path := c.String(name)
	if path == "" {
		if c.IsSet(name) {
			return "", wrong(c, "--%s is empty: it takes %s", name, takes(c, name))
		}
		return "", nil
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", wrong(c, "--%s %q: %v", name, path, err)
	}
	return abs, nil
}

func runtimeFlag(c *urfave.Command) (*ownership.Runtime, error) {
	s := c.String("runtime")
	switch {
	case c.IsSet("runtime") && c.Bool("no-runtime"):
		return nil, wrong(c, "--runtime and --no-runtime exclude each other")
	case c.Bool("no-runtime"):
		return &ownership.Runtime{}, nil
	case !c.IsSet("runtime"):
		return nil, nil
	}
	r, err := parseRuntime(s)
	if err == nil {
		err = probe.CheckRuntime(r) // a run would wait for it for ever
	}
	if err != nil {
		return nil, wrong(c, "--runtime %q: it takes %s:NAME of a session or %s:PID of a process that can be asked whether it lives: %v", s, probe.KindTmux, probe.KindProcess, err)
	}
	return &r, nil
}

// parseRuntime completes a process that is named by its number alone: what has that
// number now.
func parseRuntime(s string) (r ownership.Runtime, err error) {
	r.Kind, r.Handle, _ = strings.Cut(s, ":")
	if pid, number := strconv.Atoi(r.Handle); r.Kind == probe.KindProcess && number == nil && pid > 0 {
		r.Handle, err = probe.ProcessHandle(pid)
	}
	return r, err
}

// worktreeFlag returns the worktree to record. Without any option it is the git
// worktree around the current directory, and nothing where there is none.
func worktreeFlag(c *urfave.Command) (*string, error) {
	none := ""
	dir, err := absolute(c, "worktree")
	switch {
	case err != nil:
		return nil, err
	case c.Bool("no-worktree") && dir != "":
		return nil, wrong(c, "--worktree and --no-worktree exclude each other")
	case c.Bool("no-worktree"):
		return &none, nil
	case dir == "":
		return given(currentWorktree()), nil
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, wrong(c, "--worktree %q: it takes a directory that exists", dir)
	}
	return &dir, nil
}

func currentWorktree() string {
	here, err := os.Getwd()
	if err != nil {
		return "" // a directory that was removed lies in no worktree
	}
	return worktreeAround(here)
}
