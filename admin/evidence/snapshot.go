package evidence

import (
	"path/filepath"
	"strings"

	"holdfast/internal/gitwork"
	"holdfast/internal/sqlitecopy"
	"holdfast/ownership"
)

// snapshotName is the file that says what else there is.
const snapshotName = "snapshot.json"

// Snapshot is what snapshot.json says of the evidence beside it.
type Snapshot struct {
	TakenAt    ownership.Timestamp   `json:"takenAt"` // when it began
	Key        *string               `json:"key"`     // nil where only the digest is known
	KeyDigest  ownership.Digest      `json:"keyDigest"`
	State      ownership.State       `json:"state"`
	Revision   *ownership.Revision   `json:"revision"` // of record.json; nil when vacant
	Generation *ownership.Generation `json:"generation"`
	Class      *string               `json:"class"`
	Git        *gitwork.Captured     `json:"git"`     // nil where no worktree was kept
	Tracker    *sqlitecopy.Taken     `json:"tracker"` // likewise
	Transcript *Transcript           `json:"transcript"`
	Moved      []Moved               `json:"moved"` // in any source, while it was read
	OutOfScope []Omission            `json:"outOfScope"`
	Notes      []string              `json:"notes"`
	Tools      Tools                 `json:"tools"`
}

// Moved names something in a source that changed while it was read.
type Moved struct {
	Path string `json:"path"` // absolute
	What string `json:"what"`
}

// Omission is something that was met and not kept.
type Omission struct {
	What    string `json:"what"`
	Why     string `json:"why"`
	Count   int    `json:"count"`
	Example string `json:"example"` // the first path, or ""
}

// Tools are the versions of what read the sources; "" where it was not needed.
type Tools struct {
	Git    string `json:"git"`
	SQLite string `json:"sqlite"`
}

// Taken is a snapshot in its place.
type Taken struct {
	Dir      string   `json:"dir"`      // absolute
	Manifest string   `json:"manifest"` // SHA-256 of MANIFEST.sha256, 64 lowercase hex digits
	Files    int      `json:"files"`    // named in the manifest
	Bytes    int64    `json:"bytes"`    // in them
	Snapshot Snapshot `json:"snapshot"`
	Findings []string `json:"findings"` // what a person must know before relying on it
}

// Untouched reports whether nothing moved in any source while it was read.
func (s Snapshot) Untouched() bool { return len(s.Moved) == 0 }

// addGit keeps what a capture found, and draws together what it has in common with the other sources.
func (s *Snapshot) addGit(c *gitwork.Captured) {
	s.Git, s.Tools.Git = c, c.Git
	s.gather("", c)
}

func (s *Snapshot) gather(prefix string, c *gitwork.Captured) {
	for _, m := range c.Moved {
		s.Moved = append(s.Moved, Moved(m))
	}
	for _, o := range c.OutOfScope {
		o.Example = filepath.Join(prefix, o.Example)
		s.OutOfScope = append(s.OutOfScope, Omission(o))
	}
	for _, n := range c.Notes {
		s.Notes = append(s.Notes, about(strings.TrimSpace("worktree "+prefix), n))
	}
	for _, n := range c.Nested {
		inside := filepath.Join(prefix, n.Path)
		if n.Captured != nil {
			s.gather(inside, n.Captured)
			continue
		}
		s.OutOfScope = append(s.OutOfScope, Omission{What: "repository inside", Why: n.Skipped, Count: 1, Example: inside})
	}
}

func (s *Snapshot) addTracker(t *sqlitecopy.Taken) {
	s.Tracker, s.Tools.SQLite = t, t.SQLite
	for _, m := range t.Moved {
		s.Moved = append(s.Moved, Moved(m))
	}
	for _, n := range t.Notes {
		s.Notes = append(s.Notes, about("tracker", n))
	}
}
