package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"holdfast/admin/evidence"
	"holdfast/internal/gitwork"
)

// snapshot adds what a snapshot has, and what it has not.
func (p *page) snapshot(t evidence.Taken) {
	s := t.Snapshot
	p.line("snapshot of " + p.ink.bold(named(s.Key, s.KeyDigest)) + ", " + p.ink.state(s.State))
	p.field("kept in", t.Dir)
	p.field("manifest", t.Manifest)
	p.field("size", fmt.Sprintf("%s, %s", plural(t.Files, "file"), bytesOf(t.Bytes)))
	if s.Git != nil {
		p.captured(s.Git)
		p.optional("archives", uncompressed(s.Git))
	}
	if s.Tracker != nil {
		p.field("tracker", fmt.Sprintf("%s: integrity %s", s.Tracker.Source, s.Tracker.Integrity))
	}
	if s.Transcript != nil {
		p.field("transcript", fmt.Sprintf("%s: the last %s of %s", s.Transcript.Path, bytesOf(s.Transcript.Kept), bytesOf(s.Transcript.Size)))
	}
	p.each("finding", t.Findings)
	p.each("left out", omissions(s.OutOfScope))
	p.each("note", s.Notes)
}

// captured adds what was kept of a working tree and of the repositories inside.
func (p *page) captured(c *gitwork.Captured) {
	n := c.Counts
	p.field("worktree", fmt.Sprintf("%s: %d clean, %d changed, %d untracked, %d ignored", c.Repository.Worktree, n.Clean, n.Changed, n.Untracked, n.Ignored))
	for _, o := range c.Operations {
		p.field("", string(o)+" in progress")
	}
	for _, inner := range c.Nested {
		if inner.Captured != nil {
			p.field("", "with the repository "+filepath.Join(c.Repository.Worktree, inner.Path)+" inside")
		}
	}
}

// uncompressed says why archives are larger than they could be, if they are.
func uncompressed(c *gitwork.Captured) *string {
	if c.Plain == nil {
		return nil
	}
	text := "not compressed: " + *c.Plain
	return &text
}

func omissions(all []evidence.Omission) (lines []string) {
	for _, o := range all {
		line := fmt.Sprintf("%s (%d): %s", o.What, o.Count, o.Why)
		if !strings.Contains(o.Why, o.Example) { // "" is in every text
			line += ", such as " + o.Example
		}
		lines = append(lines, line)
	}
	return lines
}

// each adds lines under one label.
func (p *page) each(label string, lines []string) {
	for _, line := range lines {
		p.field(label, line)
		label = ""
	}
}

// verification adds whether a snapshot is as it was taken.
func (p *page) verification(v evidence.Verification) {
	if len(v.Differences) == 0 {
		p.line(p.ink.bold(escape(v.Dir)) + " is as it was taken")
	} else {
		p.line(p.ink.bold(escape(v.Dir)) + " is not as it was taken")
	}
	p.field("manifest", v.Manifest)
	p.field("compared", fmt.Sprintf("%s, %s", plural(v.Files, "file"), bytesOf(v.Bytes)))
	for _, d := range v.Differences {
		p.field("differs", d.Path+": "+d.What)
	}
}

// restored adds what was rebuilt and compared.
func (p *page) restored(r evidence.Restored) {
	p.line("restored " + p.ink.bold(escape(r.Git.Worktree)) + ", the same in every file, reference and index line")
	p.field("from", r.From)
	p.field("manifest", r.Manifest)
	p.field("compared", fmt.Sprintf("%s, %s, %s", plural(r.Git.Files, "file"), plural(r.Git.Refs, "reference"), bytesOf(r.Git.Bytes)))
	p.each("note", r.Git.Notes)
	p.optional("tracker", r.Tracker)
}

// bytesOf says how many bytes in the largest unit of which there are some.
func bytesOf(n int64) string {
	const units = "KMGT"
	if n < 1<<10 {
		return plural(int(n), "byte")
	}
	f, u := float64(n), strings.Builder{}
	for i := range units {
		f /= 1 << 10
		if f < 1<<10 || i == len(units)-1 {
			fmt.Fprintf(&u, "%.1f %ciB", f, units[i])
			break
		}
	}
	return u.String()
}
