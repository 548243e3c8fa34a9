package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	urfave "github.com/urfave/cli/v3"

	"holdfast/admin"
	"holdfast/admin/evidence"
	"holdfast/lease"
	"holdfast/ownership"
)

// snapshotCommand brings archives, git and SQLite into the program: a person who has to
// save work finds the means to in the one program that is there. Only what compresses is
// another one, since it would cost every start; archives are whole without it.
func (v *invocation) snapshotCommand() *urfave.Command {
	c := &urfave.Command{
		ArgsUsage: "take|verify|restore",
		Description: "It reads worktree, tracker and transcript without touching them. README.txt in a snapshot\n" +
			"says how to verify and restore it without this program.",
		Commands:        []*urfave.Command{v.snapshotTakeCommand(), v.snapshotVerifyCommand(), v.snapshotRestoreCommand()},
		HideHelpCommand: true,
		Action:          noSubcommand,
	}
	for _, sub := range c.Commands {
		sub.OnUsageError = explainUsage
		sub.CommandNotFound = showSubcommandHelp
	}
	return c
}

func (v *invocation) snapshotTakeCommand() *urfave.Command {
	return &urfave.Command{
		Name:      "take",
		Usage:     "take a snapshot: exit 0 if nothing moved meanwhile, else 85",
		ArgsUsage: "KEY | --digest HEX",
		Description: "A snapshot of sources that changed while they were read is kept, and says what moved.\n" +
			"Killed at any moment, a snapshot is complete or absent; what it left is named\n" +
			"." + "NAME" + evidence.Marker + "…, and is no snapshot.",
		Flags: []urfave.Flag{
			digestFlag(),
			&urfave.StringFlag{Name: "worktree", Usage: "`DIR`, the top of a git working tree (default: the one that the record names)", OnlyOnce: true},
			&urfave.StringFlag{Name: "tracker", Usage: "`FILE`, an SQLite database (default: the one that the record names)", OnlyOnce: true},
			&urfave.StringFlag{Name: "transcript", Usage: "`FILE` whose end is kept (default: the one that the record names)", OnlyOnce: true},
			&urfave.StringFlag{Name: "out", Usage: "`DIR` to make, new or empty (default: a new one below $XDG_STATE_HOME/holdfast-evidence)", OnlyOnce: true},
			&urfave.BoolFlag{Name: "include-ignored", Usage: "keep what git ignores too"},
			&urfave.StringFlag{Name: "accept", Usage: "`WHAT` to go on in spite of: some of " + strings.Join(evidence.AcceptanceWords(), ", ") + ", separated by commas", OnlyOnce: true},
		},
		Action: v.snapshotTake,
	}
}

func (v *invocation) snapshotTake(ctx context.Context, c *urfave.Command) error {
	o, err := snapshotOptions(c)
	if err != nil {
		return err
	}
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
	bar := v.bar()
	o.Progress = bar.show
	ctx, stop := interruptible(ctx)
	defer stop()
	i = admin.Classify(ctx, s, i).Inspection
	taken, err := evidence.Take(ctx, s, i, o)
	bar.clear()
	if errors.Is(err, evidence.ErrNothing) {
		msg := fmt.Sprintf("nobody ever acquired session %s: there is nothing to keep, unless --worktree, --tracker or --transcript names it", i.Name())
		return &lease.Refusal{Reason: ownership.ReasonNothingToRecover, Message: msg, Inspection: i}
	}
	if err != nil {
		return snapshotFault("snapshot take", err)
	}
	v.published = true
	return v.tookSnapshot(*taken)
}

// interruptible lets a person end what takes long, so that nothing is left behind.
func interruptible(ctx context.Context) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
}

func snapshotOptions(c *urfave.Command) (o evidence.Options, err error) {
	o.IncludeIgnored = c.Bool("include-ignored")
	for name, to := range map[string]*string{"worktree": &o.Worktree, "tracker": &o.Tracker, "transcript": &o.Transcript, "out": &o.Out} {
		if *to, err = absolute(c, name); err != nil {
			return o, err
		}
	}
	if c.IsSet("accept") {
		if o.Accept, err = evidence.ParseAcceptance(c.String("accept")); err != nil {
			return o, wrong(c, "--accept: %v", err)
		}
	}
	return o, nil
}

// tookSnapshot answers with what was taken, and says so if it has findings.
func (v *invocation) tookSnapshot(taken evidence.Taken) error {
	answer := struct {
		evidence.Taken
		Next []lease.Next `json:"next"`
	}{taken, v.afterSnapshot(taken)}
	v.answer(answer, func(p *page) {
		p.snapshot(taken)
		p.next(answer.Next)
	})
	if len(taken.Findings) == 0 {
		return nil
	}
	return &answered{ownership.ReasonFindings, fmt.Sprintf("the snapshot is kept in %s, with %s", taken.Dir, plural(len(taken.Findings), "finding"))}
}

// afterKept says what can be done with a snapshot. To restore, it names a place beside it, if nothing is there.
func afterKept(dir string) []lease.Next {
	next := []lease.Next{{Why: "compare it with its manifest", Argv: []string{"session", "snapshot", "verify", dir}}}
	into := dir + "-restored"
	_, noWork := os.Lstat(filepath.Join(dir, "git"))
	_, free := os.Lstat(into)
	if noWork == nil && errors.Is(free, fs.ErrNotExist) {
		next = append(next, lease.Next{Why: "rebuild the worktree in a new directory", Argv: []string{"session", "snapshot", "restore", dir, "--into", into}})
	}
	return next
}

func (v *invocation) afterSnapshot(taken evidence.Taken) []lease.Next {
	next := afterKept(taken.Dir)
	if !taken.Snapshot.Untouched() {
		look := []string{"session", "inspect", "--digest", taken.Snapshot.KeyDigest.String()}
		next = append(next, v.located([]lease.Next{{Why: "see who may still be writing, before another snapshot", Argv: look}})...)
	}
	return next
}
