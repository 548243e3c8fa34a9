package cli

import (
	"context"
	"time"

	urfave "github.com/urfave/cli/v3"

	"holdfast/admin"
	"holdfast/internal/procid"
	"holdfast/ownership"
)

func (v *invocation) pruneCommand() *urfave.Command {
	return &urfave.Command{
		Description: "Every session keeps its record, and history keeps every record: what goes is files.\n" +
			"What a living or a stopped process may still need is kept, whatever its age. A damaged\n" +
			"file of history is kept in the store's quarantine, so that the rest can be archived.",
		Flags: []urfave.Flag{
			&urfave.StringFlag{Name: "older-than", Usage: "`DUR` that something must be old, such as 90m, 36h or 7d (default: any age)", OnlyOnce: true},
			&urfave.BoolFlag{Name: "dry-run", Usage: "show what would be done, and change nothing"},
		},
		Action: v.prune,
	}
}

func (v *invocation) prune(ctx context.Context, c *urfave.Command) error {
	if _, err := positional(c); err != nil {
		return err
	}
	p, err := pruning(c)
	if err != nil {
		return err
	}
	p.Actor = procid.UserName() + "@" + procid.ThisHost().Name // before root becomes the store's owner
	s, err := v.openStore(becomeOwner)
	if err != nil {
		return err
	}
	up := tidying{}
	for found, err := range admin.Prune(ctx, s, p) {
		switch {
		case err != nil:
			up.failed = append(up.failed, v.failedRow(found.Key, digestOf(found.KeyDigest), err))
			continue
		case v.json:
			v.row(found)
		default:
			v.stdout.show(v.page(&v.stdout), func(p *page) { p.pruned(found) })
		}
		v.published = v.published || p.Mode == admin.PruneDo && found.Action != admin.PruneKeep
		up.add(found)
		if v.stdout.fault != nil {
			return nil
		}
	}
	return v.pruned(up, p.Mode)
}

func pruning(c *urfave.Command) (admin.Pruning, error) {
	p := admin.Pruning{Mode: admin.PruneDo}
	if c.Bool("dry-run") {
		p.Mode = admin.PrunePreview
	}
	if !c.IsSet("older-than") {
		return p, nil
	}
	d, err := parseSpan(c.String("older-than"))
	if err != nil {
		return p, wrong(c, "--older-than %.80q: it takes %s", c.String("older-than"), takes(c, "older-than"))
	}
	p.Before = time.Now().Add(-d)
	return p, nil
}

func digestOf(d *ownership.Digest) ownership.Digest {
	if d == nil {
		return ownership.Digest{}
	}
	return *d
}

// tidying is what a prune adds up to.
type tidying struct {
	archived, removed, setAside, kept int
	failed                            failures
}

func (t *tidying) add(p admin.Pruned) {
	switch p.Action {
	case admin.PruneArchive:
		t.archived += p.Count
	case admin.PruneRemove:
		t.removed += p.Count
	case admin.PruneQuarantine:
		t.setAside += p.Count
	default:
		t.kept += p.Count
	}
}

func (v *invocation) pruned(t tidying, mode admin.PruneMode) error {
	if !v.json {
		v.stdout.show(v.page(&v.stdout), func(p *page) { p.tidied(t, mode) })
	}
	if len(t.failed) == 0 {
		return nil
	}
	v.tell(t.failed)
	return &answered{ownership.ReasonPartial, "not everything could be looked at or done"}
}
