package check

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"holdfast/ownership"
)

// Violation says which invariant does not hold, where, and what was found instead.
type Violation struct {
	Invariant string // I1 to I12, or "layout"
	Path      string
	Found     string
}

func (v Violation) String() string { return fmt.Sprintf("%s: %s: %s", v.Invariant, v.Path, v.Found) }

// Store judges the store in a directory, which need not exist. Its sessions are those
// on disk and those of the history.
func Store(dir string, h History) []Violation {
	j := &judge{dir: dir, history: h}
	j.layout()
	for d := range h {
		j.session(d)
	}
	for _, name := range j.namesIn("sessions") {
		d, err := ownership.ParseDigest(name)
		if err == nil && h[d] == nil {
			j.session(d)
		}
	}
	return j.found
}

// judge collects violations.
type judge struct {
	dir     string
	history History
	found   []Violation
}

func (j *judge) add(invariant, path, format string, args ...any) {
	j.found = append(j.found, Violation{invariant, path, fmt.Sprintf(format, args...)})
}

// names of everything that may be in a store, below it.
var (
	inStore    = regexp.MustCompile(`^(holdfast\.store|sessions|quarantine|journal\.db([.-].*)?)$`)
	inSessions = regexp.MustCompile(`^[0-9a-f]{64}$`)
	inRoom     = regexp.MustCompile(`^(record\.json|rev\.[0-9a-f]{64}\.json|(life|kin)\.[1-9][0-9]*|next\.[1-9][0-9]*\.json|(pulse|verdict)\.json(\.[0-9a-f]+)?)$`)
	inKept     = regexp.MustCompile(`^[0-9a-f]{64}\.[0-9a-f]{64}(\.[0-9]+)?$`)
)

// layout holds that a store is made of nothing but names of ours, private to its owner.
func (j *judge) layout() {
	names := j.namesIn(".")
	for _, name := range names {
		j.entry(inStore, name)
	}
	for _, name := range j.namesIn("quarantine") {
		j.entry(inKept, filepath.Join("quarantine", name))
	}
	for _, name := range j.namesIn("sessions") {
		j.entry(inSessions, filepath.Join("sessions", name))
		for _, file := range j.namesIn(filepath.Join("sessions", name)) {
			j.entry(inRoom, filepath.Join("sessions", name, file))
		}
	}
}

// namesIn lists a directory; one that is missing has no names.
func (j *judge) namesIn(name string) (names []string) {
	entries, err := os.ReadDir(filepath.Join(j.dir, name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		j.add("layout", filepath.Join(j.dir, name), "cannot be read: %v", err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func (j *judge) entry(allowed *regexp.Regexp, name string) {
	path := filepath.Join(j.dir, name)
	if !allowed.MatchString(filepath.Base(name)) {
		j.add("layout", path, "not a name of ours")
	}
	info, err := os.Lstat(path)
	if err != nil {
		j.add("layout", path, "%v", err)
		return
	}
	open := info.Mode().Perm()&0o077 != 0
	// What is in the record's place and in quarantine may be anybody's bytes.
	foreign := strings.HasSuffix(name, "record.json") || strings.HasPrefix(name, "quarantine/")
	if open && !foreign {
		j.add("layout", path, "open to others: %v", info.Mode())
	}
}
