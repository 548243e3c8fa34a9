package admin

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"holdfast/lease"
	"holdfast/lease/dirstore"
)

// What a store needs to go on: a record has at most 64 KiB, and each publish makes
// two names and a lock file.
const (
	enoughBytes  = 1 << 20
	enoughInodes = 100
)

// maxShown bounds how many findings of one kind are told one by one.
const maxShown = 20

func judgeStore(h dirstore.Health) []Finding {
	all := []Finding{judgeCondition(h), judgeFileSystem(h), judgeSpace(h)}
	if h.Condition == dirstore.Missing || h.Condition == dirstore.Foreign {
		return all
	}
	all = append(all, judgeLocks(h))
	all = append(all, judgeModes(h)...)
	all = append(all, judgeUnread(h)...)
	return append(all, judgeLeftovers(h))
}

func judgeCondition(h dirstore.Health) Finding {
	const check = "store"
	switch h.Condition {
	case dirstore.Missing:
		return passed(check, fmt.Sprintf("there is no store at %q yet; the first acquire creates it", h.Path))
	case dirstore.HalfMade:
		return passed(check, fmt.Sprintf("the creation of %q was not finished; the next acquire completes it", h.Path))
	case dirstore.Foreign:
		detail := fmt.Sprintf("%q is no store: it contains %s; name an empty directory with --store", h.Path, quoted(h.Foreign))
		return problem(check, detail, "see what is there", "ls", "-la", h.Path)
	default:
		return passed(check, fmt.Sprintf("%q is a store", h.Path))
	}
}

func quoted(names []string) string {
	words := make([]string, 0, maxShown)
	for _, name := range names[:min(len(names), maxShown)] {
		words = append(words, strconv.Quote(name))
	}
	s := strings.Join(words, ", ")
	if more := len(names) - len(words); more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}

func judgeFileSystem(h dirstore.Health) Finding {
	const check, why = "file-system", "see what is mounted there"
	fs := h.FileSystem
	switch {
	case fs.ReadOnly:
		return problem(check, fs.Name+" is mounted read-only: sessions can be looked at, not acquired", why, "df", "-h", existing(h.Path))
	case fs.Reach == dirstore.Network:
		return problem(check, fs.Name+" is shared with other machines, whose locks do not reach here", why, "df", "-h", existing(h.Path))
	case fs.Reach == dirstore.Unknown:
		return problem(check, fs.Name+" is not known to be local to this machine", why, "df", "-h", existing(h.Path))
	}
	return passed(check, fs.Name+" is local to this machine")
}

func judgeSpace(h dirstore.Health) Finding {
	const check = "space"
	fs := h.FileSystem
	switch {
	case fs.FreeBytes < enoughBytes:
		detail := fmt.Sprintf("%d bytes are free: an owner may not be able to release", fs.FreeBytes)
		return problem(check, detail, "see how full it is", "df", "-h", existing(h.Path))
	case fs.TotalInodes > 0 && fs.FreeInodes < enoughInodes:
		detail := fmt.Sprintf("%d inodes are free: an owner may not be able to release", fs.FreeInodes)
		return problem(check, detail, "see how full it is", "df", "-i", existing(h.Path))
	}
	return passed(check, fmt.Sprintf("%d MiB are free", fs.FreeBytes>>20))
}

// existing returns the longest prefix of path that is there.
func existing(path string) string {
	for path != filepath.Dir(path) {
		if _, err := os.Lstat(path); err == nil {
			return path
		}
		path = filepath.Dir(path)
	}
	return path
}

func judgeLocks(h dirstore.Health) Finding {
	const check, why = "locks", "see what is mounted there"
	switch {
	case h.LocksError != nil:
		return problem(check, "cannot be tested: "+h.LocksError.Error(), why, "df", "-h", h.Path)
	case h.Locks == dirstore.LocksDoNot:
		detail := h.FileSystem.Name + " lets two descriptors have one lock: nothing is safe there; name a store on a local disk with --store"
		return problem(check, detail, why, "df", "-h", h.Path)
	case h.Locks == dirstore.LocksUntested:
		return unchecked(check, "that could change something")
	}
	return passed(check, "a lock excludes a second descriptor")
}

func judgeModes(h dirstore.Health) []Finding {
	const check = "modes"
	if len(h.Modes) == 0 {
		return []Finding{passed(check, "every file is ours, and nobody else's to write")}
	}
	var all []Finding
	for _, odd := range h.Modes[:min(len(h.Modes), maxShown)] {
		all = append(all, judgeMode(check, odd))
	}
	if more := len(h.Modes) - len(all); more > 0 {
		all = append(all, problem(check, fmt.Sprintf("%d more files are like that", more), "see them", "ls", "-laR", h.Path))
	}
	return all
}

func judgeMode(check string, odd dirstore.Odd) Finding {
	self := os.Geteuid()
	switch {
	case odd.Mode.Type() != odd.Want.Type():
		// A command that follows a link would change what it points to.
		return problem(check, fmt.Sprintf("%q is not %s", odd.Path, typeInWords(odd.Want)), "see what it is", "ls", "-lad", odd.Path)
	case odd.UID != uint32(self):
		detail := fmt.Sprintf("%q belongs to uid %d, not to uid %d", odd.Path, odd.UID, self)
		return repair(check, detail, "give it to this user", "sudo", "chown", strconv.Itoa(self), odd.Path)
	}
	detail := fmt.Sprintf("%q has mode %04o, not %04o", odd.Path, odd.Mode.Perm(), odd.Want.Perm())
	return repair(check, detail, "set its mode", "chmod", fmt.Sprintf("%04o", odd.Want.Perm()), odd.Path)
}

func typeInWords(mode os.FileMode) string {
	if mode.IsDir() {
		return "a directory"
	}
	return "a file"
}

func judgeUnread(h dirstore.Health) []Finding {
	const check = "readable"
	if len(h.Unread) == 0 {
		return []Finding{passed(check, "everything could be looked at")}
	}
	var all []Finding
	for _, err := range h.Unread[:min(len(h.Unread), maxShown)] {
		all = append(all, judgeUnreadOne(check, err, h))
	}
	if more := len(h.Unread) - len(all); more > 0 {
		all = append(all, problem(check, fmt.Sprintf("%d more could not be looked at", more), "see what is there", "ls", "-laR", h.Path))
	}
	return all
}

func judgeUnreadOne(check string, err error, h dirstore.Health) Finding {
	f := problem(check, err.Error(), "see what is there", "ls", "-la", h.Path)
	var fault *lease.StoreError
	if !errors.As(err, &fault) || fault.Path == "" {
		return f
	}
	f.Next[0].Argv = []string{"ls", "-lad", existing(fault.Path)}
	if mend, ok := mendAccess(fault.Path); ok && errors.Is(err, lease.ErrPermission) {
		f.Next = []lease.Next{mend}
	}
	if slices.Contains(h.Bad, fault.Path) {
		f.Next = append(f.Next, lease.Next{Why: "see what a prune does with it: it keeps it in quarantine", Argv: []string{"session", "prune", "--dry-run"}})
	}
	return f
}

// judgeLeftovers counts what crashes and forced recoveries leave. It is no problem:
// nothing ever depends on it.
func judgeLeftovers(h dirstore.Health) Finding {
	const check = "leftovers"
	if len(h.Leftovers) == 0 {
		return passed(check, "none")
	}
	counts, inUse := map[dirstore.LeftoverKind]int{}, 0
	for _, l := range h.Leftovers {
		counts[l.Kind]++
		if l.InUse {
			inUse++
		}
	}
	var words []string
	for _, kind := range []dirstore.LeftoverKind{
		dirstore.LifeLeftover, dirstore.KinLeftover, dirstore.NextLeftover, dirstore.RevLeftover, dirstore.PulseLeftover, dirstore.VerdictLeftover,
	} {
		if counts[kind] > 0 {
			words = append(words, fmt.Sprintf("%d %s", counts[kind], kind))
		}
	}
	return passed(check, fmt.Sprintf("%s; %d of them in use; they do no harm", strings.Join(words, ", "), inUse))
}
