package cli

import (
	"context"
	"errors"
	"iter"
	"syscall"
	"time"
	"unicode/utf8"

	urfave "github.com/urfave/cli/v3"

	"holdfast/admin"
	"holdfast/lease"
	"holdfast/ownership"
)

func (v *invocation) historyCommand() *urfave.Command {
	return &urfave.Command{
		ArgsUsage: "KEY | --digest HEX | --all",
		Description: "It tells every record that was ever published, oldest first, and says where one is\n" +
			"missing. What it has told of a session is moved into the store's archive.",
		Flags: []urfave.Flag{
			digestFlag(),
			&urfave.BoolFlag{Name: "all", Usage: "tell of every session, in the order of time"},
			&urfave.StringFlag{Name: "since", Usage: "`DUR` of the past to tell of, such as 90m, 36h or 7d", OnlyOnce: true},
			&urfave.BoolFlag{Name: "verify", Usage: "exit 85 if the chain of records has a gap, acknowledged or not"},
			&urfave.StringFlag{Name: "acknowledge", Usage: "`TEXT` that says why records are missing: note that you know, so that doctor asks for nothing", OnlyOnce: true},
		},
		Action: v.history,
	}
}

func (v *invocation) history(ctx context.Context, c *urfave.Command) error {
	since, err := sinceFlag(c)
	if err != nil {
		return err
	}
	if c.Bool("all") {
		return v.historyOfAll(ctx, c, since)
	}
	t, _, err := target(c)
	if err != nil {
		return err
	}
	if why := c.String("acknowledge"); c.IsSet("acknowledge") && (why == "" || len(why) > ownership.MaxTextSize || !utf8.ValidString(why)) {
		return wrong(c, "--acknowledge %.80q: it takes a text of 1 to %d bytes of UTF-8", why, ownership.MaxTextSize)
	}
	s, err := v.openStore(becomeOwner)
	if err != nil {
		return err
	}
	told := &telling{v: v, target: t, since: since, now: func() lease.Inspection { return v.now(ctx, s, t) }}
	told.title = title(lease.Inspection{Key: told.key(), KeyDigest: t.Digest})
	told.all(admin.History(ctx, s, t))
	told.end()
	v.archive(ctx, s, t, told)
	if err := v.acknowledge(ctx, s, t, c.String("acknowledge")); err != nil {
		return err
	}
	return told.result(c.Bool("verify"))
}

// acknowledge does nothing without a reason.
func (v *invocation) acknowledge(ctx context.Context, s lease.Store, t admin.Target, why string) error {
	if why == "" {
		return nil
	}
	n, err := admin.Acknowledge(ctx, s, t, "", why)
	if err == nil {
		v.remark("%s acknowledged", plural(n, "gap"))
	}
	return err
}

// sinceFlag returns the moment that --since means, or the zero time.
func sinceFlag(c *urfave.Command) (time.Time, error) {
	if !c.IsSet("since") {
		return time.Time{}, nil
	}
	d, err := parseSpan(c.String("since"))
	if err != nil {
		return time.Time{}, wrong(c, "--since %.80q: it takes %s", c.String("since"), takes(c, "since"))
	}
	return time.Now().Add(-d), nil
}

// historyOfAll tells of every session a row a record.
func (v *invocation) historyOfAll(ctx context.Context, c *urfave.Command, since time.Time) error {
	for _, name := range []string{"digest", "verify", "acknowledge"} {
		if c.IsSet(name) {
			return wrong(c, "--%s is about one session, and --all about every one: give one of them", name)
		}
	}
	if _, err := positional(c); err != nil {
		return err
	}
	s, err := v.openStore(becomeOwner)
	if err != nil {
		return err
	}
	told := &telling{v: v}
	shown := 0
	for e, err := range admin.HistoryOfAll(ctx, s, since) {
		switch {
		case err != nil:
			told.failed = append(told.failed, v.failedRow(nil, digestOf(e.KeyDigest), err))
			continue
		case v.json:
			v.row(e)
		default:
			v.stdout.show(v.page(&v.stdout), func(p *page) { p.entry(e) })
		}
		shown++
		if v.stdout.fault != nil {
			return nil
		}
	}
	if shown == 0 && len(told.failed) == 0 {
		v.nothingHappened(since)
	}
	return told.result(false)
}

func (v *invocation) nothingHappened(since time.Time) {
	if since.IsZero() {
		v.remark("nothing ever happened in %s", v.location.path)
		return
	}
	v.remark("nothing happened in %s since %s", v.location.path, since.UTC().Format(time.DateTime)+" UTC")
}

// now looks at the session as it is. What cannot be looked at has no state.
func (v *invocation) now(ctx context.Context, s lease.Store, t admin.Target) lease.Inspection {
	i, _ := admin.Inspect(ctx, s, t) // history said what cannot be read
	return i
}

// telling is the history of one session on its way to a reader.
type telling struct {
	v      *invocation
	target admin.Target
	since  time.Time
	title  string
	titled bool
	now    func() lease.Inspection
	tenure *tenure // not shown yet
	count  int     // records
	gaps   int
	failed failures
}

func (t *telling) all(entries iter.Seq2[admin.Entry, error]) {
	for e, err := range entries {
		switch {
		case err != nil:
			t.failed = append(t.failed, t.v.failedRow(t.key(), t.target.Digest, err))
		default:
			t.add(e)
		}
		if t.v.stdout.fault != nil {
			return
		}
	}
}

// key is the key that was typed, if any.
func (t *telling) key() *string {
	if t.target.Key == nil {
		return nil
	}
	key := t.target.Key.String()
	return &key
}

func (t *telling) add(e admin.Entry) {
	switch {
	case e.Event == admin.EventGap:
		t.gaps++
	case e.Record != nil:
		t.count++
	}
	if e.At != nil && e.At.Time().Before(t.since) {
		return
	}
	if t.v.json {
		t.v.row(e)
		return
	}
	t.human(e)
}

// end shows what is left and how it all adds up.
func (t *telling) end() {
	if t.v.json {
		return
	}
	if t.tenure != nil {
		t.tenure.now = new(t.now())
	}
	t.flush()
	if t.count == 0 && len(t.failed) == 0 {
		t.v.remark("nobody ever acquired %s in %s", t.title, t.v.location.path)
	}
}

func (t *telling) result(verify bool) error {
	t.v.tell(t.failed)
	switch {
	case verify && t.gaps > 0:
		return &answered{ownership.ReasonFindings, plural(t.gaps, "gap") + " in the history of " + t.title}
	case len(t.failed) > 0:
		return &answered{ownership.ReasonPartial, "a part of the history could not be read"}
	case verify:
		t.v.remark("%s of %s, each following the one before it", plural(t.count, "record"), t.title)
	}
	return nil
}

// archive moves what was told into the archive. What cannot be moved stays where it
// is; where nobody can write that is no news.
func (v *invocation) archive(ctx context.Context, s lease.Store, t admin.Target, told *telling) {
	if len(told.failed) > 0 || v.stdout.fault != nil {
		return
	}
	_, err := admin.Archive(ctx, s, t)
	if err != nil && !errors.Is(err, syscall.EROFS) {
		v.remark("the history was told, and could not be archived: %v; nothing is lost", err)
	}
}
