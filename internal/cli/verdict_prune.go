package cli

import (
	"context"
	"time"

	urfave "github.com/urfave/cli/v3"

	"holdfast/admin/settle"
	"holdfast/ownership"
)

func (v *invocation) verdictPrune(ctx context.Context, c *urfave.Command) error {
	if _, err := positional(c); err != nil {
		return err
	}
	pruning, err := verdictPruning(c)
	if err != nil {
		return err
	}
	s, err := v.openStore(becomeOwner)
	if err != nil {
		return err
	}
	removed, kept, failed := 0, 0, failures(nil)
	for row, err := range settle.Prune(ctx, s, pruning) {
		switch {
		case err != nil && row.KeyDigest == (ownership.Digest{}) && removed+kept+len(failed) == 0:
			return err // not about one session: nothing could be listed
		case err != nil:
			failed = append(failed, v.failedRow(row.Key, row.KeyDigest, err))
			continue
		case row.Action == settle.ActionRemove:
			removed++
			v.published = v.published || !pruning.DryRun
		default:
			kept++
		}
		v.prunedVerdict(row)
	}
	if !v.json {
		v.stdout.show(v.page(&v.stdout), func(p *page) { p.prunedVerdicts(removed, kept, pruning.DryRun) })
	}
	return v.partial(failed)
}

func (v *invocation) prunedVerdict(row settle.Pruned) {
	if v.json {
		v.row(row)
		return
	}
	v.stdout.show(v.page(&v.stdout), func(p *page) { p.prunedVerdict(row, time.Now()) })
}

func verdictPruning(c *urfave.Command) (settle.Pruning, error) {
	p := settle.Pruning{DryRun: c.Bool("dry-run")}
	if !c.IsSet("before") {
		return p, wrong(c, "--before is missing: it takes %s", takes(c, "before"))
	}
	d, err := parseSpan(c.String("before"))
	if err != nil {
		return p, wrong(c, "--before %.80q: it takes %s", c.String("before"), takes(c, "before"))
	}
	p.Before = ownership.At(time.Now().Add(-d))
	return p, nil
}
