package cli

import (
	"context"
	"errors"
	"fmt"

	urfave "github.com/urfave/cli/v3"

	"holdfast/admin/evidence"
	"holdfast/ownership"
)

func (v *invocation) snapshotVerifyCommand() *urfave.Command {
	return &urfave.Command{
		Name:        "verify",
		Usage:       "compare a snapshot with its manifest: exit 0 if it is as it was taken, else 85",
		ArgsUsage:   "DIR",
		Description: "It names every file that differs, is missing, or was not there.",
		Action:      v.snapshotVerify,
	}
}

func (v *invocation) snapshotRestoreCommand() *urfave.Command {
	return &urfave.Command{
		Name:      "restore",
		Usage:     "rebuild the repository of a snapshot in a new directory, and prove that it is the same",
		ArgsUsage: "DIR --into NEW",
		Description: "A snapshot that does not verify is refused. Without --trust the restored repository has no\n" +
			"hooks, and of its configuration what starts no program.",
		Flags: []urfave.Flag{
			&urfave.StringFlag{Name: "into", Usage: "`NEW` directory, which must not exist or be empty", OnlyOnce: true},
			&urfave.BoolFlag{Name: "trust", Usage: "install hooks and configuration as they were"},
		},
		Action: v.snapshotRestore,
	}
}

func (v *invocation) snapshotVerify(ctx context.Context, c *urfave.Command) error {
	args, err := positional(c, "DIR")
	if err != nil {
		return err
	}
	bar := v.bar()
	ctx, stop := interruptible(ctx)
	defer stop()
	found, err := evidence.Verify(ctx, args[0], bar.show)
	bar.clear()
	if err != nil {
		return snapshotFault("snapshot verify", err)
	}
	return v.verified(*found)
}

func (v *invocation) verified(found evidence.Verification) error {
	v.answer(found, func(p *page) { p.verification(found) })
	if n := len(found.Differences); n > 0 {
		return &answered{ownership.ReasonFindings, fmt.Sprintf("%s: use another copy of %s", plural(n, "difference"), found.Dir)}
	}
	return nil
}

func (v *invocation) snapshotRestore(ctx context.Context, c *urfave.Command) error {
	args, err := positional(c, "DIR")
	if err != nil {
		return err
	}
	into, err := absolute(c, "into")
	if err != nil {
		return err
	}
	if into == "" {
		return wrong(c, "--into is missing: it takes %s", takes(c, "into"))
	}
	bar := v.bar()
	ctx, stop := interruptible(ctx)
	defer stop()
	restored, err := evidence.Restore(ctx, args[0], into, evidence.RestoreOptions{Trust: c.Bool("trust"), Progress: bar.show})
	bar.clear()
	var differs *evidence.DiffersError
	if errors.As(err, &differs) {
		return v.verified(differs.Verification)
	}
	if err != nil {
		return snapshotFault("snapshot restore", err)
	}
	v.published = true
	v.answer(restored, func(p *page) { p.restored(*restored) })
	return nil
}
