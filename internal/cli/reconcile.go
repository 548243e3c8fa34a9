package cli

import (
	"context"
	"fmt"
	"slices"

	urfave "github.com/urfave/cli/v3"

	"holdfast/admin"
	"holdfast/lease"
	"holdfast/ownership"
)

func (v *invocation) reconcileCommand() *urfave.Command {
	return &urfave.Command{
		Description: "Without --apply it reports what it would do, and changes nothing. It can be run again at\n" +
			"any time, beside live runs and beside itself: at boot, from cron. What it cannot be sure\n" +
			"of it leaves to a person, and exits 85; it exits 84 if it failed for some sessions, and\n" +
			"says nothing where there is nothing to say.",
		Flags: []urfave.Flag{
			&urfave.BoolFlag{Name: "apply", Usage: "recover the sessions whose owners are provably gone"},
			&urfave.BoolFlag{Name: "reap", Usage: "with --apply, also destroy the runtimes of sessions that nobody owns"},
			&urfave.BoolFlag{Name: "accept-mass-death", Usage: "do it although most owners look gone at once"},
		},
		Action: v.reconcile,
	}
}

func (v *invocation) reconcile(ctx context.Context, c *urfave.Command) error {
	if _, err := positional(c); err != nil {
		return err
	}
	s, err := v.openStore(becomeOwner)
	if err != nil {
		return err
	}
	t := &tally{v: v}
	forMany(passGrowth)
	for row, err := range admin.Reconcile(ctx, s, passConsent(c)) {
		if err != nil && row.KeyDigest == (ownership.Digest{}) && t.rows == 0 {
			return err // not about one session: nothing could be listed
		}
		t.add(row, err)
		if v.stdout.failure() != nil && !c.Bool("apply") {
			return nil // nobody reads it; what was agreed to is done all the same
		}
	}
	return t.end()
}

func passConsent(c *urfave.Command) admin.PassConsent {
	var all admin.PassConsent
	if c.Bool("apply") {
		all |= admin.PassRecover
	}
	if c.Bool("reap") {
		all |= admin.PassReap
	}
	if c.Bool("accept-mass-death") {
		all |= admin.PassMassDeath
	}
	return all
}

// tally is what a pass came to so far.
type tally struct {
	v       *invocation
	rows    int
	waiting int
	next    []lease.Next
	failed  failures
}

func (t *tally) add(r admin.Reconciled, err error) {
	t.rows++
	if err != nil {
		t.failed = append(t.failed, t.v.failedRow(r.Key, r.KeyDigest, err))
		return
	}
	r.Next = t.v.located(r.Next)
	if r.Concern == admin.Waiting {
		t.waiting++
		t.offer(r.Next)
	}
	t.v.published = t.v.published || r.Done
	t.show(r)
	if r.Receipt != nil {
		t.v.leftover(*r.Receipt)
		if s := r.Receipt.Snapshot; s != nil && s.Dir != nil {
			t.v.saved(*s.Dir)
		}
	}
	if r.Unarchived != nil {
		t.v.remark("%s: it is done, and did not get into the archive; nothing is lost: %v", rowTitle(r.Key, r.KeyDigest), r.Unarchived)
	}
}

// show tells people only what there is to know, and what was done.
func (t *tally) show(r admin.Reconciled) {
	v := t.v
	switch {
	case v.json:
		v.row(r)
	case r.Concern == admin.Routine, v.quiet && r.Concern == admin.Notable && !r.Done:
	default:
		v.stdout.show(v.page(&v.stdout), func(p *page) { p.reconciled(r) })
	}
}

func (t *tally) end() error {
	v := t.v
	v.tell(t.failed)
	if len(t.next) > 0 && !v.json && !v.quiet {
		v.stdout.show(v.page(&v.stdout), func(p *page) {
			p.line("")
			p.line("What you can type:")
			p.commands(t.next)
		})
	}
	switch {
	case len(t.failed) > 0:
		return &answered{ownership.ReasonPartial, plural(len(t.failed), "session") + " could not be reconciled; all others were looked at"}
	case t.waiting == 1:
		return &answered{ownership.ReasonFindings, "1 session waits for a person"}
	case t.waiting > 1:
		return &answered{ownership.ReasonFindings, fmt.Sprintf("%d sessions wait for a person", t.waiting)}
	}
	return nil
}

// maxOffered bounds how many commands are offered to people at the end of a pass.
const maxOffered = 8

// offer gathers what can be typed: sessions that wait for the same share one command.
func (t *tally) offer(next []lease.Next) {
	for _, n := range next {
		known := slices.ContainsFunc(t.next, func(o lease.Next) bool { return slices.Equal(o.Argv, n.Argv) })
		if !known && len(t.next) < maxOffered {
			t.next = append(t.next, n)
		}
	}
}
