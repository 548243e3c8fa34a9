package cli

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	urfave "github.com/urfave/cli/v3"

	"holdfast/admin"
	"holdfast/admin/evidence"
	"holdfast/internal/procid"
	"holdfast/lease"
	"holdfast/ownership"
)

func (v *invocation) recoverCommand() *urfave.Command {
	return &urfave.Command{
		ArgsUsage: "KEY --expect REVISION | --digest HEX --expect REVISION | --from FILE",
		Description: "Without --force it shows what it would do, changes nothing and exits 80. With it, a\n" +
			"worktree and a tracker that the record names are saved in a snapshot first; if that\n" +
			"fails, or files change meanwhile, nothing is recovered.\n" +
			"The session's runtime, worktree, transcript and history are kept: what ends is an\n" +
			"ownership. An owner that can be seen is never overridden, whatever is typed.",
		Flags: []urfave.Flag{
			digestFlag(),
			&urfave.StringFlag{Name: "expect", Usage: "the `REVISION` that you looked at: 64 lowercase hex digits, as inspect shows it", OnlyOnce: true},
			&urfave.BoolFlag{Name: "force", Usage: "do it"},
			&urfave.BoolFlag{Name: "accept-unproven", Usage: "do it although it cannot be told from here that the owner is gone"},
			&urfave.BoolFlag{Name: "quarantine", Usage: "set aside a record that cannot be read"},
			&urfave.StringFlag{Name: "despite", Usage: "`PID:TICKS[,PID:TICKS…]` of every survivor that may live on, as inspect shows them", OnlyOnce: true},
			&urfave.StringFlag{Name: "reason", Usage: fmt.Sprintf("`TEXT` that says why, at most %d bytes, for the record", ownership.MaxTextSize), OnlyOnce: true},
			&urfave.StringFlag{Name: "actor", Usage: fmt.Sprintf("`NAME` of who decided, at most %d bytes (default: user@host)", ownership.MaxNameSize), OnlyOnce: true},
			&urfave.StringFlag{Name: "snapshot", Usage: "`DIR` for the snapshot, new or empty; with --from, the directory for one a row (default: a new one below $XDG_STATE_HOME/holdfast-evidence)", OnlyOnce: true},
			&urfave.BoolFlag{Name: "no-snapshot", Usage: "save nothing first"},
			&urfave.StringFlag{Name: "accept", Usage: "`WHAT` the snapshot goes on in spite of: some of " + strings.Join(evidence.AcceptanceWords(), ", ") + ", separated by commas", OnlyOnce: true},
			&urfave.StringFlag{Name: "from", Usage: "`FILE` of rows to recover, as 'session list --state stranded --json' prints them, or -", OnlyOnce: true},
		},
		Action: v.recover,
	}
}

func (v *invocation) recover(ctx context.Context, c *urfave.Command) error {
	r, err := recovery(c)
	if err != nil {
		return err
	}
	if c.IsSet("from") {
		return v.recoverBatch(ctx, c, r)
	}
	if r.Target, _, err = target(c); err != nil {
		return err
	}
	if r.Expect, err = expected(c); err != nil {
		return err
	}
	s, err := v.openForRecovery(&r)
	if err != nil {
		return err
	}
	saver := v.savesFor(&r)
	ctx, stop := interruptible(ctx)
	defer stop()
	receipt, err := admin.Recover(ctx, s, r)
	saver.tell(receipt)
	if err != nil {
		return err
	}
	v.published = true
	told := receiptOf(receipt)
	v.answer(told, func(p *page) { p.told(told) })
	v.leftover(receipt)
	return nil
}

// toldReceipt is a receipt, with what can be done with the snapshot.
type toldReceipt struct {
	admin.Receipt
	Next []lease.Next `json:"next"`
}

func receiptOf(r admin.Receipt) toldReceipt {
	told := toldReceipt{r, []lease.Next{}}
	if r.Snapshot != nil && r.Snapshot.Dir != nil {
		told.Next = afterKept(*r.Snapshot.Dir)
	}
	return told
}

func (p *page) told(r toldReceipt) {
	p.receipt(r.Receipt)
	p.next(r.Next)
}

// openForRecovery opens the store. What root does as the store's owner is still
// root's decision, and the record says so.
func (v *invocation) openForRecovery(r *admin.Recovery) (lease.Store, error) {
	who := procid.UserName()
	s, err := v.openStore(becomeOwner)
	if r.Actor == "" && procid.UserName() != who {
		r.Actor = who + "@" + procid.ThisHost().Name
	}
	return s, err
}

func (v *invocation) leftover(r admin.Receipt) {
	if r.Leftover != nil {
		v.remark("the recovery is done; its own lock file could not be removed: %v", r.Leftover)
	}
	if r.Forgotten != nil {
		v.remark("generation %d is above the number of seconds since 1970, since the archive cannot say which there were: %v", r.Generation, r.Forgotten)
	}
	if r.Unrecorded != nil {
		v.remark("the recovery is done, and the record's marker says so; the archive has no event of it: %v", r.Unrecorded)
	}
}

// recovery reads what is the same for one session and for many.
func recovery(c *urfave.Command) (admin.Recovery, error) {
	r := admin.Recovery{Actor: c.String("actor"), Reason: c.String("reason"), Consent: consent(c)}
	if c.IsSet("actor") && !isName(r.Actor) {
		return r, wrong(c, "--actor %.80q: it takes a name of 1 to %d bytes of UTF-8 without control characters", r.Actor, ownership.MaxNameSize)
	}
	if len(r.Reason) > ownership.MaxTextSize || !utf8.ValidString(r.Reason) {
		return r, wrong(c, "--reason %.80q: it takes a text of at most %d bytes of UTF-8", r.Reason, ownership.MaxTextSize)
	}
	var err error
	if r.Despite, err = despite(c); err != nil {
		return r, err
	}
	return r, saving(c, &r)
}

func consent(c *urfave.Command) admin.Consent {
	var all admin.Consent
	for name, what := range map[string]admin.Consent{
		"force": admin.Force, "accept-unproven": admin.AcceptUnproven, "quarantine": admin.Quarantine,
	} {
		if c.Bool(name) {
			all |= what
		}
	}
	return all
}

func despite(c *urfave.Command) ([]admin.ProcessRef, error) {
	if !c.IsSet("despite") {
		return nil, nil
	}
	var refs []admin.ProcessRef
	for word := range strings.SplitSeq(c.String("despite"), ",") {
		ref, err := admin.ParseProcessRef(word)
		if err != nil {
			return nil, wrong(c, "--despite: %v", err)
		}
		refs = append(refs, ref)
	}
	return refs, nil
}

func expected(c *urfave.Command) (ownership.Revision, error) {
	if !c.IsSet("expect") {
		return ownership.Revision{}, wrong(c, "--expect is missing: it takes %s", takes(c, "expect"))
	}
	r, err := ownership.ParseRevision(c.String("expect"))
	if err != nil {
		return r, wrong(c, "--expect %.80q: it takes %s", c.String("expect"), takes(c, "expect"))
	}
	return r, nil
}

// isName holds for what a record can hold as a name.
func isName(s string) bool {
	return s != "" && len(s) <= ownership.MaxNameSize && utf8.ValidString(s) && strings.IndexFunc(s, unicode.IsControl) < 0
}
