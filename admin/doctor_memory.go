package admin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"holdfast/internal/journal"
	"holdfast/lease"
	"holdfast/ownership"
)

// checkMemory looks at what the store remembers: whether its archive can be read,
// whether each session's records follow each other, and whether a session has fallen
// behind what the archive knows of it. It archives nothing (I8). A store that keeps all of
// its history has no archive, and too much of history to read it all.
func checkMemory(ctx context.Context, s lease.Store) []Finding {
	if _, all := s.(lease.Chronicler); all {
		return []Finding{unchecked(historyCheck, "`session history --verify KEY` reads that of one session")}
	}
	h, ok := s.(historian)
	if !ok {
		return nil
	}
	j := journal.At(h.JournalPath())
	census, err := j.Check(ctx)
	c := memory{store: h, census: census, deaf: err != nil, seen: map[ownership.Digest]bool{}}
	c.look(ctx)
	return append([]Finding{judgeArchive(j, census, err)}, c.judge()...)
}

func judgeArchive(j *journal.Journal, c journal.Census, err error) Finding {
	const check = "archive"
	switch {
	case err != nil:
		return judgeUnusable(check, j.Path(), archiveFault(err))
	case !j.Exists():
		return passed(check, "there is none yet; the first prune creates it")
	}
	return passed(check, fmt.Sprintf("records: %d; sessions: %d; events: %d; all of them whole", c.Records, c.Sessions, c.Events))
}

// judgeUnusable offers what makes an archive usable again, and no more than a look where
// that is for a person to find out. What is put aside is kept.
func judgeUnusable(check, path string, err error) Finding {
	f := problem(check, err.Error()+"; what is in the sessions' own files is safe", "see whose it is and how large", "ls", "-lad", existing(path))
	mend, ok := mendAccess(path)
	switch {
	case ok && errors.Is(err, lease.ErrPermission):
		f.Next = []lease.Next{mend}
	case errors.Is(err, journal.ErrDamaged):
		why := "put it aside and keep it: the next prune begins a new one"
		f.Next = append(f.Next, lease.Next{Why: why, Argv: []string{"mv", "-n", path, freeName(path + ".damaged")}, ChangesState: true})
	}
	return f
}

func freeName(path string) string {
	for n := 1; ; n++ {
		name := path
		if n > 1 {
			name = fmt.Sprintf("%s.%d", path, n)
		}
		if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) || n > maxShown {
			return name
		}
	}
}

// memory is what was found about the history of all sessions.
type memory struct {
	store  historian
	census journal.Census
	deaf   bool // the archive cannot be read
	seen   map[ownership.Digest]bool

	waiting int      // records that are not archived
	turned  []string // names of sessions that went back and were used again
	broken  []lease.Inspection
	behind  []lease.Inspection
}

func (m *memory) look(ctx context.Context) {
	whole := true
	for d, err := range m.store.List(ctx) {
		if err != nil {
			whole = false // the look at the store reports it
			continue
		}
		m.seen[d] = true
		box, err := m.store.Outbox(ctx, d)
		if err != nil {
			continue
		}
		m.waiting += len(box.Past)
		if m.deaf {
			continue
		}
		i := lease.Inspection{KeyDigest: d, Record: box.Current.Reading(d).Record}
		if i.Record != nil {
			i.Key = i.Record.Key
		}
		for _, rev := range box.Past {
			m.census.Highest[d] = max(m.census.Highest[d], rev.Generation)
		}
		gaps := gapsOf(ctx, m.store, d)
		if gaps[gapTurn] {
			m.turned = append(m.turned, i.Name())
		}
		if gaps[gapMissing] {
			m.broken = append(m.broken, i)
		}
		if gaps[gapBehind] || m.isBehind(i) {
			m.behind = append(m.behind, i)
		}
	}
	if whole && !m.deaf {
		m.addLost(ctx)
	}
}

// addLost adds sessions of which only the archive is left.
func (m *memory) addLost(ctx context.Context) {
	for d := range m.census.Highest {
		if !m.seen[d] && gapsOf(ctx, m.store, d)[gapBehind] {
			m.behind = append(m.behind, lease.Inspection{KeyDigest: d})
		}
	}
	slices.SortFunc(m.behind, func(a, b lease.Inspection) int { return bytes.Compare(a.KeyDigest[:], b.KeyDigest[:]) })
}

// isBehind leaves out what cannot be read: nobody knows how far that is. Of a session
// without a record its history tells.
func (m *memory) isBehind(i lease.Inspection) bool {
	return i.Record != nil && i.Record.Generation < m.census.Highest[i.KeyDigest]
}

// gapsOf returns which kinds of gaps the history of a session has.
func gapsOf(ctx context.Context, s lease.Store, d ownership.Digest) map[gapKind]bool {
	gaps := map[gapKind]bool{}
	for e, err := range History(ctx, s, ByDigest(d)) {
		if err == nil && e.Event == EventGap {
			gaps[e.gap] = true
		}
	}
	return gaps
}

func (m *memory) judge() []Finding {
	all := []Finding{passed("outbox", fmt.Sprintf("records that wait to be archived: %d", m.waiting))}
	if m.deaf {
		const why = "the archive cannot be read"
		return append(all, unchecked(historyCheck, why), unchecked("backup", why))
	}
	all = append(all, judgeSessions(historyCheck, m.broken, m.whole(),
		func(i lease.Inspection) string { return "the history of session " + i.Name() + " has a gap" })...)
	return append(all, judgeSessions("backup", m.behind, "no session is behind what the archive knows of it",
		func(i lease.Inspection) string {
			if i.Record == nil {
				return fmt.Sprintf("the archive knows session %s up to generation %d, and it has no record here: its files were removed, or the archive is another store's", i.Name(), m.census.Highest[i.KeyDigest])
			}
			return fmt.Sprintf("session %s had reached generation %d: the store went back, as when a backup is put back, and what refuses smaller generations will refuse its next owners",
				i.Name(), m.census.Highest[i.KeyDigest])
		})...)
}

const historyCheck = "history"

// acknowledge is for what nothing brings back.
func acknowledge(i lease.Inspection) lease.Next {
	argv := append([]string{"session", "history", "--acknowledge", "it is lost"}, address(i)...)
	return lease.Next{Why: "if it is lost for good: note that you know, so that this is no problem any more", Argv: argv, ChangesState: true}
}

func judgeSessions(check string, found []lease.Inspection, fine string, detail func(lease.Inspection) string) []Finding {
	if len(found) == 0 {
		return []Finding{passed(check, fine)}
	}
	var all []Finding
	for _, i := range found[:min(len(found), maxShown)] {
		argv := append([]string{"session", "history", "--verify"}, address(i)...)
		f := problem(check, detail(i), "see its history", argv...)
		if check == historyCheck || i.Record == nil {
			f.Next = append(f.Next, acknowledge(i))
		}
		all = append(all, f)
	}
	if more := len(found) - len(all); more > 0 {
		all = append(all, problem(check, fmt.Sprintf("%d more sessions are like that", more), "see them", "session", "list", "--wide"))
	}
	return all
}

// whole says what is to be said of history where no gap needs a person: that a store had
// gone back, and was used again, stays true for ever.
func (m *memory) whole() string {
	if len(m.turned) == 0 {
		return "every record follows the one before it"
	}
	shown := strings.Join(m.turned[:min(len(m.turned), maxShown)], ", ")
	if more := len(m.turned) - maxShown; more > 0 {
		shown += fmt.Sprintf(" and %d more", more)
	}
	return "every record follows the one before it, but where the store had gone back, as when a backup is put back, and was used again: " + shown
}
