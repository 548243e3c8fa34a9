package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v3"

	"holdfast/admin/plan"
	"holdfast/internal/plainfile"
	"holdfast/lease"
	"holdfast/ownership"
)

func (v *invocation) applyCommand() *urfave.Command {
	return &urfave.Command{
		ArgsUsage: "FILE --approve ID[,ID…]",
		Description: "What it does is derived afresh and compared with the plan, which is refused if the session\n" +
			"changed since (78). What is irreversible has to be approved alone.",
		Flags: append([]urfave.Flag{
			&urfave.StringFlag{Name: "approve", Usage: "`ID[,ID…]` of items of the plan", OnlyOnce: true},
			&urfave.DurationFlag{Name: "grace", Usage: "`DUR` that a process gets after each signal", Value: plan.DefaultGrace, OnlyOnce: true},
			actorFlag(),
		}, intentFlags()...),
		Action: v.apply,
	}
}

func (v *invocation) apply(ctx context.Context, c *urfave.Command) error {
	args, err := positional(c, "FILE")
	if err != nil {
		return err
	}
	a, err := approval(c, args[0])
	if err != nil {
		return err
	}
	p, err := readPlan(c, args[0])
	if err != nil {
		return err
	}
	s, err := v.openStore(becomeOwner)
	if err != nil {
		return err
	}
	bar := v.bar()
	a.Progress, a.StoreWords = bar.show, v.storeOptions()
	ctx, stop := interruptible(ctx)
	defer stop()
	report, err := plan.Apply(ctx, s, p, a)
	bar.clear()
	var unknown *plan.UnknownItemError
	var refused *lease.Refusal
	switch {
	case errors.As(err, &unknown):
		return wrong(c, "--approve: %v", err)
	case errors.As(err, &refused):
		return err
	case err != nil:
		return snapshotFault("apply", err)
	}
	return v.applied(report)
}

func approval(c *urfave.Command, file string) (a plan.Approval, err error) {
	if c.IsSet("approve") {
		a.IDs = strings.Split(c.String("approve"), ",")
	}
	a.File = file
	if a.Grace = c.Duration("grace"); a.Grace < time.Millisecond {
		return a, wrong(c, "--grace %s: it takes %s, at least 1ms", a.Grace, takes(c, "grace"))
	}
	if a.Actor, err = actorWord(c); err != nil {
		return a, err
	}
	a.Intent, err = intent(c)
	a.IntentWords = intentWords(a.Intent)
	return a, err
}

// readPlan reads no more of a file than a plan can have.
func readPlan(c *urfave.Command, path string) (plan.Plan, error) {
	f, err := plainfile.Open(path)
	if err != nil {
		return plan.Plan{}, wrong(c, "FILE %q: it takes a plan that 'session plan -o' wrote: %v", path, err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, plan.MaxSize+1))
	if err != nil {
		return plan.Plan{}, err
	}
	p, err := plan.Decode(b)
	if err != nil {
		return p, wrong(c, "FILE %q: %v: make another with 'session plan KEY -o FILE'", path, err)
	}
	return p, nil
}

// applied answers with what was done.
func (v *invocation) applied(r plan.Report) error {
	next := v.located(r.Next())
	v.published = true
	v.answer(struct {
		plan.Report
		Next []lease.Next `json:"next"`
	}{r, next}, func(p *page) {
		p.report(r)
		p.next(next)
	})
	if r.Snapshot != nil && r.Anew {
		v.saved(r.Snapshot.Dir)
	}
	if r.Unrecorded != nil {
		v.remark("what was done is done; the archive has no event of it: %v", r.Unrecorded)
	}
	if !r.Stopped {
		return nil
	}
	return &answered{ownership.ReasonPartial, fmt.Sprintf("%s done before it stopped", plural(r.Count(plan.Done), "item"))}
}
