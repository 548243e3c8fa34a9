package cli

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"time"

	urfave "github.com/urfave/cli/v3"

	"holdfast/admin"
	"holdfast/lease"
	"holdfast/ownership"
)

func (v *invocation) listCommand() *urfave.Command {
	return &urfave.Command{
		Flags: []urfave.Flag{
			&urfave.StringFlag{Name: "state", Usage: "`STATE[,STATE…]` to show only: " + joined(ownership.States), OnlyOnce: true},
			&urfave.BoolFlag{Name: "watch", Usage: "go on and show each change"},
			&urfave.StringFlag{Name: "since", Usage: "`TIME` of the last change that was seen, as --json shows it, or DUR ago: go on from there", OnlyOnce: true},
			&urfave.BoolFlag{Name: "wide", Usage: "look closer at each session, for a quarter of a second or more, and show more of it"},
		},
		Action: v.list,
	}
}

func (v *invocation) list(ctx context.Context, c *urfave.Command) error {
	if _, err := positional(c); err != nil {
		return err
	}
	states, err := statesFlag(c)
	if err != nil {
		return err
	}
	if c.Bool("watch") && c.Bool("wide") {
		return wrong(c, "--wide has no meaning with --watch: give one of them")
	}
	since, err := watchSince(c)
	if err != nil {
		return err
	}
	s, err := v.openStore(becomeOwner)
	if err != nil {
		return err
	}
	if c.Bool("watch") {
		return v.watch(ctx, s, states, since)
	}
	wide := c.Bool("wide")
	if wide { // a count has something to clear away
		var stop func()
		ctx, stop = interruptible(ctx)
		defer stop()
	}
	return v.listOnce(ctx, s, states, wide)
}

// watchSince returns the moment from which on a watch goes on, or the zero time.
func watchSince(c *urfave.Command) (time.Time, error) {
	if !c.IsSet("since") {
		return time.Time{}, nil
	}
	if !c.Bool("watch") {
		return time.Time{}, wrong(c, "--since has no meaning without --watch")
	}
	if at, err := time.Parse(time.RFC3339, c.String("since")); err == nil {
		return at, nil
	}
	return sinceFlag(c)
}

func statesFlag(c *urfave.Command) ([]ownership.State, error) {
	if !c.IsSet("state") {
		return nil, nil
	}
	states, err := parseStates(c.String("state"))
	if err != nil {
		return nil, wrong(c, "--state: %v", err)
	}
	return states, nil
}

// listOnce shows a row a session and goes on past those that it cannot read. As JSON a row
// is told as soon as it is known, and kept no longer.
func (v *invocation) listOnce(ctx context.Context, s lease.Store, states []ownership.State, wide bool) error {
	var table [][]string
	var failed failures
	found := 0
	for row, err := range listed(ctx, s, states, wide) {
		switch {
		case err != nil && row.KeyDigest == (ownership.Digest{}) && found+len(failed) == 0:
			return err // not about one session: there is no list
		case err != nil:
			failed = append(failed, v.failedRow(row.Key, row.KeyDigest, err))
			continue
		case v.json && wide:
			v.row(row)
		case v.json:
			v.row(row.Row)
		default:
			table = append(table, listCells(row, wide))
		}
		found++
	}
	switch {
	case v.json:
	case found > 0:
		v.showList(table, wide)
	case len(failed) == 0:
		v.remark("no such session in %s", v.location.path)
	}
	return v.partial(failed)
}

// listed looks closer only where that is asked for: it takes longer.
func listed(ctx context.Context, s lease.Store, states []ownership.State, wide bool) iter.Seq2[admin.WideRow, error] {
	if wide {
		return admin.ListWide(ctx, s, states)
	}
	return func(yield func(admin.WideRow, error) bool) {
		for row, err := range admin.List(ctx, s, states) {
			if !yield(admin.WideRow{Row: row}, err) {
				return
			}
		}
	}
}

func (v *invocation) showList(table [][]string, wide bool) {
	slices.SortFunc(table, byUrgency)
	v.stdout.show(v.page(&v.stdout), func(p *page) { p.list(table, wide) })
}

// urgency orders states by how much they ask of a person.
var urgency = []ownership.State{
	ownership.StateUnreadable, ownership.StateStranded, ownership.StateUnproven,
	ownership.StateHeld, ownership.StateIdle, ownership.StateVacant,
}

// byUrgency compares the cells of two rows.
func byUrgency(a, b []string) int {
	return cmp.Or(
		cmp.Compare(urgencyOf(a), urgencyOf(b)),
		cmp.Compare(a[titleColumn], b[titleColumn]),
	)
}

func urgencyOf(cells []string) int { return slices.Index(urgency, ownership.State(cells[stateColumn])) }
