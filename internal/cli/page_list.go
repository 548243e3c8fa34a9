package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"

	"holdfast/admin"
	"holdfast/lease"
	"holdfast/ownership"
)

// list adds a table of sessions, from the cells of each.
func (p *page) list(rows [][]string, wide bool) {
	head := []string{"KEY", "STATE", "GEN", "OWNER", "SINCE", "PULSE"}
	if wide {
		head = append(head, "CLASS", "WHY", "NOTE", "RUNTIME", "WORKTREE", "REVISION", "DIGEST")
	}
	p.table(slices.Insert(rows, 0, head))
}

// listCells is what a table shows of a session: it is all that is kept of one, since there
// may be very many.
func listCells(r admin.WideRow, wide bool) []string {
	cells := narrow(r.Row, time.Now())
	if wide {
		cells = append(cells, classCells(r)...)
		cells = append(cells, more(r.Row)...)
	}
	return cells
}

func narrow(r admin.Row, now time.Time) []string {
	cells := []string{strings.Clone(rowTitle(r.Key, r.KeyDigest)), string(r.State), "", "", "", ""}
	if r.Generation != nil {
		cells[2] = strconv.FormatUint(uint64(*r.Generation), 10)
	}
	if o := r.Owner; o != nil {
		cells[3] = o.Program + "[" + strconv.Itoa(o.PID) + "] " + o.User + "@" + o.Host
		cells[4] = short(now.Sub(o.AcquiredAt.Time()))
	}
	if pulse := r.Pulse; pulse != nil {
		cells[5] = string(pulse.Phase) + " " + short(now.Sub(pulse.At.Time()))
	}
	return cells
}

func classCells(r admin.WideRow) []string {
	if r.Class == nil {
		return []string{"", ""}
	}
	return []string{*r.Class, whyClass(r)}
}

func more(r admin.Row) []string {
	cells := []string{"", "", "", "", r.KeyDigest.String()}
	if r.Pulse != nil {
		cells[0] = r.Pulse.Note
	}
	if s := r.Session; s != nil {
		if s.Runtime != nil {
			cells[1] = s.Runtime.String()
		}
		if s.Worktree != nil {
			cells[2] = *s.Worktree
		}
	}
	if r.Revision != nil {
		cells[3] = r.Revision.String()
	}
	return cells
}

// rowTitle names a session in a row: by its key, or by the beginning of its digest.
func rowTitle(key *string, d ownership.Digest) string {
	if key != nil {
		return *key
	}
	return "#" + d.String()[:12]
}

const (
	titleColumn = iota
	stateColumn
)

// table adds rows whose columns are as wide as their widest cell; the first row is
// the head. Columns that no row fills are left out.
func (p *page) table(rows [][]string) {
	widths := make([]int, len(rows[0]))
	for n, row := range rows {
		for i, cell := range row {
			row[i] = escape(cell)
			if n > 0 {
				widths[i] = max(widths[i], displaywidth.String(row[i]))
			}
		}
	}
	for n, row := range rows {
		p.tableRow(row, rows[0], widths, n == 0)
	}
}

func (p *page) tableRow(row, head []string, widths []int, isHead bool) {
	var cells []string
	for i, cell := range row {
		if widths[i] == 0 {
			continue
		}
		fill := strings.Repeat(" ", max(0, max(widths[i], len(head[i]))-displaywidth.String(cell)))
		switch {
		case isHead:
			cell = p.ink.dim(cell)
		case i == stateColumn:
			cell = p.ink.state(ownership.State(cell))
		}
		cells = append(cells, cell+fill)
	}
	p.line(strings.TrimRight(strings.Join(cells, "  "), " "))
}

// failures adds a line for each row that has no answer.
func (p *page) failures(all failures) {
	for _, f := range all {
		p.gap()
		p.text(f.title() + ": " + f.Message)
		p.text(f.Hint)
		p.commands(f.Next)
	}
}

func (f failedRow) title() string {
	switch {
	case f.Key != nil:
		return *f.Key
	case f.KeyDigest != nil:
		return rowTitle(nil, *f.KeyDigest)
	case f.Line > 0:
		return fmt.Sprintf("line %d", f.Line)
	}
	return "the store"
}

// change adds one line about a session that became something else.
func (p *page) change(c admin.Change) {
	was := ""
	if c.PreviousState != nil && *c.PreviousState != c.State {
		was = string(*c.PreviousState) + " → "
	}
	revision := ""
	if c.Revision != nil {
		revision = p.ink.dim("  " + c.Revision.String()[:12])
	}
	p.line(p.ink.dim(c.At.Time().Format("2006-01-02 15:04:05.000Z")) + "  " + escape(rowTitle(c.Key, c.KeyDigest)) + "  " + was + p.ink.state(c.State) + revision)
}

// receipt adds what a recovery published.
func (p *page) receipt(r admin.Receipt) {
	title := title(lease.Inspection{Key: r.Key, KeyDigest: r.KeyDigest})
	p.line(p.ink.bold(title) + " is recovered: " + p.ink.state(ownership.StateIdle))
	if r.Replayed {
		p.field("replayed", "an earlier recovery had done it; this is its receipt")
	}
	p.field("generation", fmt.Sprint(r.Generation))
	p.field("revision", r.Revision.String())
	p.field("displaced", r.PreviousRevision.String())
	p.field("recovered", when(r.RecoveredAt, time.Now())+", by "+r.Actor)
	p.field("reason", r.Reason)
	p.field("known", fmt.Sprintf("owner %s, cleanup %s, outcome %s", r.Liveness, r.Cleanup, r.Outcome))
	p.settled(r.Settled, time.Now())
	p.kept(r.Snapshot)
}

// kept adds where the work was saved.
func (p *page) kept(k *admin.Kept) {
	if k == nil {
		return
	}
	where := "it is not where snapshots are kept by default"
	if k.Dir != nil {
		where = *k.Dir
	}
	p.field("snapshot", where)
	p.field("manifest", k.Manifest)
}
