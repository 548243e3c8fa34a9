package dirstore

import (
	"context"

	"holdfast/internal/durable"
	"holdfast/lease"
	"holdfast/ownership"
)

// LeftoverKind says what a leftover was.
type LeftoverKind string

// The kinds of leftovers. A rev leftover is a publish that did not happen; a pulse or
// verdict leftover is the temporary file of one that was not written to its end.
const (
	LifeLeftover    LeftoverKind = "life"
	KinLeftover     LeftoverKind = "kin"
	NextLeftover    LeftoverKind = "next"
	RevLeftover     LeftoverKind = "rev"
	PulseLeftover   LeftoverKind = "pulse"
	VerdictLeftover LeftoverKind = "verdict"
)

// Leftover is a file that no current generation needs.
type Leftover struct {
	Kind    LeftoverKind
	Session ownership.Digest
	Path    string
	// InUse is set while somebody holds the life lock of its generation, or that could
	// not be asked: a stopped process may yet go on to write it. Never set for a pulse or
	// a verdict.
	InUse bool
}

// sorter sorts the names of one session into what is needed and what is left over.
type sorter struct {
	store   *Store
	x       *session
	digest  ownership.Digest
	record  *ownership.Record // nil when vacant or unreadable
	current lease.Stored
	unread  bool // current could not be read
	strays  map[ownership.Revision]ownership.Generation
	busy    map[ownership.Generation]bool
}

func (s *Store) examineSession(ctx context.Context, d ownership.Digest, h *Health) error {
	x, err := s.openSession(d)
	if x == nil {
		return err
	}
	defer x.Close()
	names, err := namesIn(x.Root)
	if err != nil {
		return s.failed("look at", s.at(sessionsName, d.String()), err)
	}
	if info, err := x.Stat("."); err == nil {
		h.checkMode(s.at(sessionsName, d.String()), durable.EntryOf(info), directory)
	}
	o := &sorter{store: s, x: x, digest: d, busy: map[ownership.Generation]bool{}, strays: map[ownership.Revision]ownership.Generation{}}
	err = o.load(ctx, h)
	for _, name := range names {
		o.look(name, h)
	}
	return err
}

// load comes after the names were read: what is published meanwhile is needed then.
func (o *sorter) load(ctx context.Context, h *Health) error {
	box, err := o.store.readOutbox(ctx, o.x, o.digest)
	if err != nil {
		o.unread = true
		return o.store.failed("read history", o.store.at(sessionsName, o.digest.String()), err)
	}
	o.current = box.Current
	reading := box.Current.Reading(o.digest)
	if o.record = reading.Record; reading.Fault != nil {
		return nil // its own file in history is most often the same one
	}
	for _, r := range box.Strays {
		o.strays[r.Revision] = r.Generation
	}
	h.Unread = append(h.Unread, box.Faults()...)
	for _, bad := range box.Bad {
		h.Bad = append(h.Bad, o.store.RevPath(o.digest, bad.Revision))
	}
	return nil
}

func (o *sorter) look(name string, h *Health) {
	info, err := o.x.Lstat(name)
	if err != nil {
		if !missing(err) {
			h.Unread = append(h.Unread, err)
		}
		return
	}
	kind, g, left := o.sort(name)
	if kind == "" && name != recordName && name != pulseName && name != verdictName {
		return
	}
	path := o.store.at(sessionsName, o.digest.String(), name)
	h.checkMode(path, durable.EntryOf(info), durable.FileMode)
	if left {
		h.Leftovers = append(h.Leftovers, Leftover{kind, o.digest, path, g > 0 && o.inUse(g)})
	}
}

// sort says what a name is, of which generation, and whether it is left over. The
// kind is "" for a name that is not ours.
func (o *sorter) sort(name string) (kind LeftoverKind, g ownership.Generation, left bool) {
	if lock, g, ok := lockOf(name); ok {
		return LeftoverKind(lock), g, !o.isActive(g)
	}
	if g, ok := generationName(name, nextPrefix, jsonSuffix); ok {
		return NextLeftover, g, true
	}
	if r, ok := revisionName(name); ok {
		g, left := o.strays[r]
		return RevLeftover, g, left
	}
	if isPulseTemporary(name) {
		return PulseLeftover, 0, true
	}
	if isVerdictTemporary(name) {
		return VerdictLeftover, 0, true
	}
	return "", 0, false
}

// isActive reports whether g is in force, or may be: of what is unreadable nobody
// knows.
func (o *sorter) isActive(g ownership.Generation) bool {
	if o.record == nil {
		return o.unread || !o.current.Vacant()
	}
	return o.record.State == ownership.RecordActive && o.record.Generation == g
}

func (o *sorter) inUse(g ownership.Generation) bool {
	busy, known := o.busy[g]
	if !known {
		busy = o.askInUse(g)
		o.busy[g] = busy
	}
	return busy
}

// askInUse takes no lock on a generation that somebody may be claiming: he would be
// refused by it.
func (o *sorter) askInUse(g ownership.Generation) bool {
	if o.record != nil && g <= o.record.Generation {
		state, _ := o.store.askLock(o.x.Root, lifeName(g))
		return state == lockHeld || state == lockUnknown
	}
	info, err := o.x.Lstat(lifeName(g))
	if missing(err) {
		return false
	}
	if err == nil {
		var holders []ownership.Process
		holders, err = holdersOf(info)
		return err != nil || len(holders) > 0
	}
	return true
}
