package admin

import (
	"context"
	"fmt"

	"holdfast/internal/journal"
	"holdfast/lease"
	"holdfast/ownership"
)

// checkMemory looks at what the store remembers: whether its archive can be read,
// whether each session's records follow each other, and whether a session has fallen
// behind what the archive knows of it. It archives nothing (I8).
func checkMemory(ctx context.Context, s lease.Store) []Finding {
	h, ok := s.(historian)
	if !ok {
		return nil
	}
	j := journal.At(h.JournalPath())
	census, err := j.Check(ctx)
	if err != nil {
		return []Finding{judgeArchive(j, census, err)}
	}
	c := memory{store: h, census: census}
	c.look(ctx)
	return append([]Finding{judgeArchive(j, census, nil)}, c.judge()...)
}

func judgeArchive(j *journal.Journal, c journal.Census, err error) Finding {
	const check = "archive"
	switch {
	case err != nil:
		return problem(check, archiveFault(err).Error()+"; what is in the sessions' own files is safe", "see whose it is and how large", "ls", "-la", j.Path())
	case !j.Exists():
		return passed(check, "there is none yet; the first prune creates it")
	}
	return passed(check, fmt.Sprintf("records: %d; sessions: %d; events: %d; all of them whole", c.Records, c.Sessions, c.Events))
}

// memory is what was found about the history of all sessions.
type memory struct {
	store  historian
	census journal.Census

	waiting int // records that are not archived
	broken  []lease.Inspection
	behind  []lease.Inspection
}

func (m *memory) look(ctx context.Context) {
	for d, err := range m.store.List(ctx) {
		if err != nil {
			continue // the look at the store reports it
		}
		box, err := m.store.Outbox(ctx, d)
		if err != nil {
			continue
		}
		m.waiting += len(box.Past)
		i := lease.Inspection{KeyDigest: d, Record: box.Current.Reading(d).Record}
		if i.Record != nil {
			i.Key = i.Record.Key
		}
		if hasGap(ctx, m.store, d) {
			m.broken = append(m.broken, i)
		}
		if m.isBehind(i, box.Current) {
			m.behind = append(m.behind, i)
		}
	}
}

// isBehind leaves out what cannot be read: nobody knows how far that is.
func (m *memory) isBehind(i lease.Inspection, current lease.Stored) bool {
	var g ownership.Generation
	if i.Record != nil {
		g = i.Record.Generation
	}
	return current.Fault == nil && (i.Record != nil || current.Vacant()) && g < m.census.Highest[i.KeyDigest]
}

// hasGap leaves out gaps where the bytes of what is missing are kept.
func hasGap(ctx context.Context, s lease.Store, d ownership.Digest) bool {
	for e, err := range History(ctx, s, ByDigest(d)) {
		if err == nil && e.Event == EventGap && !e.known {
			return true
		}
	}
	return false
}

func (m *memory) judge() []Finding {
	all := []Finding{passed("outbox", fmt.Sprintf("%d records wait to be archived", m.waiting))}
	all = append(all, judgeSessions("history", m.broken, "every record follows the one before it",
		func(i lease.Inspection) string { return "the history of session " + i.Name() + " has a gap" })...)
	return append(all, judgeSessions("backup", m.behind, "no session is behind what the archive knows of it",
		func(i lease.Inspection) string {
			return fmt.Sprintf("session %s had reached generation %d: the store went back, as when a backup is put back, and what refuses smaller generations will refuse its next owners",
				i.Name(), m.census.Highest[i.KeyDigest])
		})...)
}

func judgeSessions(check string, found []lease.Inspection, fine string, detail func(lease.Inspection) string) []Finding {
	if len(found) == 0 {
		return []Finding{passed(check, fine)}
	}
	var all []Finding
	for _, i := range found[:min(len(found), maxShown)] {
		argv := append([]string{"session", "history", "--verify"}, address(i)...)
		all = append(all, problem(check, detail(i), "see its history", argv...))
	}
	if more := len(found) - len(all); more > 0 {
		all = append(all, problem(check, fmt.Sprintf("%d more sessions are like that", more), "see them", "session", "list", "--wide"))
	}
	return all
}
