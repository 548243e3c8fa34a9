package lab

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// A Look is a call that only looks at the store, or at what an answer rests on, on another
// thread than the main one. When such a thread runs is not the same in every run, so that
// its calls have no numbers; it is told by what it is about.
type Look struct {
	Name string
	Path string // of a call that takes a directory and a name, the directory's; see inStore
}

// inStore stands for the path of the store in that of a look.
const inStore = "STORE"

// Looks are the looks of other threads and processes, each once.
func (l Logs) Looks(store string) (all []Look) {
	for _, id := range slices.Sorted(maps.Keys(l.others)) {
		for line := range strings.Lines(l.others[id]) {
			name, changes := changing(line, store)
			look := Look{name, anywhere(line, store)}
			if look.Path != "" && !changes && !slices.Contains(all, look) {
				all = append(all, look)
			}
		}
	}
	return all
}

var about = regexp.MustCompile(`\(\d+<([^>]*)>|\(AT_FDCWD<[^>]*>, "([^"]*)"`)

// lasting are places outside the store that are the same in every run. Of all processes
// only the first is.
var lasting = regexp.MustCompile(`^(/proc|/proc/(1|self|sys)(/.*)?|/etc/machine-id)$`)

// anywhere returns what a call in a line of strace -y is about, if that is the same for
// every run and every store.
func anywhere(line, store string) string {
	m := about.FindStringSubmatch(head(line))
	if m == nil {
		return ""
	}
	path := m[1] + m[2]
	if rest, ok := strings.CutPrefix(path, store); ok {
		return inStore + rest
	}
	return lasting.FindString(path)
}

// Elsewhere are the options of strace that do something in every thread at its first call
// that looks like this.
func (l Look) Elsewhere(store, what string) []string {
	path := strings.Replace(l.Path, inStore, store, 1)
	return []string{"-f", "-P", path, "-e", "trace=" + l.Name, "-e", Call{l.Name, 1}.Tampering(what)}
}
