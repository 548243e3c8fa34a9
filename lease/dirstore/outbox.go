package dirstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"holdfast/lease"
	"holdfast/ownership"
)

// JournalPath is where the archive of the store's history is kept.
func (s *Store) JournalPath() string { return s.at(journalName) }

// RevPath is where a record has a file of its own.
func (s *Store) RevPath(d ownership.Digest, r ownership.Revision) string {
	return s.at(sessionsName, d.String(), revName(r))
}

// Rev is a record that has a file in a session's outbox.
type Rev struct {
	Revision   ownership.Revision
	Previous   ownership.Revision // zero: it is the first
	Generation ownership.Generation
	WrittenAt  time.Time // of the file: evidence only
	Bytes      []byte    // of the record; nil where an outbox has many: ReadRev returns them
	// Loose is set where the chain of the current record does not lead to it: it was
	// published before something that was no record, or before an older copy of the
	// store was put back, or not at all.
	Loose bool
}

// outboxBytes bounds what an outbox keeps of the records' bytes.
const outboxBytes = 16 << 10

// Outbox is what of a session's history is still in files of its own.
type Outbox struct {
	Current   lease.Stored // what is in the record's place; its own rev file is not in Past
	WrittenAt time.Time    // of Current
	Past      []Rev        // oldest first
	Strays    []Rev        // records that never came into force, or are about to
	Unread    []error      // why files could not be read
	Bad       []Bad        // files that do not hold what their names say, and never will
}

// Faults says of every file of Unread and Bad what is wrong with it.
func (b Outbox) Faults() []error {
	all := slices.Clone(b.Unread)
	for _, bad := range b.Bad {
		all = append(all, bad.Why)
	}
	return all
}

// Bad is a rev file that does not hold the record of its name.
type Bad struct {
	Revision  ownership.Revision // that it is named after
	WrittenAt time.Time
	Why       error
}

// badError is returned for what a rev file holds in place of the record of its name. No
// other look at it will find that.
type badError struct{ why error }

func (e *badError) Error() string { return e.why.Error() }
func (e *badError) Unwrap() error { return e.why }

// Outbox reads every rev file of a session, and keeps little of many. What
// is published meanwhile may be missing; what is archived meanwhile may be there.
func (s *Store) Outbox(ctx context.Context, d ownership.Digest) (Outbox, error) {
	v := s.view(d)
	defer v.Close()
	if box, plain := v.outbox(ctx); plain {
		return box, nil
	}
	x, err := s.openSession(d)
	if x == nil {
		return Outbox{}, err
	}
	defer x.Close()
	box, err := s.readOutbox(ctx, x, d)
	return box, s.failed("read history", s.at(sessionsName, d.String()), err)
}

// readOutbox lists the names before it reads the record: what is published meanwhile
// is in force then, and not off the chain.
func (s *Store) readOutbox(ctx context.Context, x *session, d ownership.Digest) (Outbox, error) {
	names, err := namesIn(x.Root)
	if err != nil {
		return Outbox{}, err
	}
	var box Outbox
	if box.Current, err = load(ctx, x.Root); err != nil {
		return Outbox{}, err
	}
	box.WrittenAt = writtenAt(x.Root, recordName)
	revs, kept := make([]Rev, 0, len(names)), 0
	for _, name := range names {
		r, ok := revisionName(name)
		if !ok {
			continue
		}
		if err := ctx.Err(); err != nil {
			return Outbox{}, err
		}
		rev, err := box.read(ctx, x.Root, d, r)
		switch {
		case missing(err): // archived meanwhile
		case err == nil && r == box.Current.Revision:
		case err != nil:
			box.addUnread(r, s.unreadRev(d, r, err), writtenAt(x.Root, revName(r)))
		default:
			if kept += len(rev.Bytes); kept > outboxBytes {
				rev.Bytes = nil
			}
			revs = append(revs, rev)
		}
	}
	box.sort(revs, box.Current.Reading(d))
	return box, nil
}

// read spares the current record, which was read already, if it is the same file.
func (b *Outbox) read(ctx context.Context, x *os.Root, d ownership.Digest, r ownership.Revision) (Rev, error) {
	if r == b.Current.Revision {
		return Rev{}, checkSecondName(ctx, x, d, r)
	}
	return readRev(ctx, x, d, r)
}

// checkSecondName returns a [*badError] for a name in history of the record in force that
// stands for other bytes: the next publish would make these its only ones.
func checkSecondName(ctx context.Context, x *os.Root, d ownership.Digest, r ownership.Revision) error {
	current, err := x.Lstat(recordName)
	if err != nil {
		return err
	}
	second, err := x.Lstat(revName(r))
	if err != nil || os.SameFile(current, second) {
		return err
	}
	_, err = readRev(ctx, x, d, r)
	return err
}

// unreadRev says what can be done about a rev file that could not be read.
func (s *Store) unreadRev(d ownership.Digest, r ownership.Revision, err error) error {
	const op = "read history"
	path := s.RevPath(d, r)
	var bad *badError
	if !errors.As(err, &bad) {
		return s.failed(op, path, err)
	}
	return &lease.StoreError{Op: op, Path: path, Err: err,
		Advice: "it is not what was published under that name, and nothing of the session is archived beside it: a prune keeps it in quarantine and goes on"}
}

func (b *Outbox) addUnread(r ownership.Revision, err error, written time.Time) {
	var bad *badError
	if errors.As(err, &bad) {
		b.Bad = append(b.Bad, Bad{r, written, err})
	} else {
		b.Unread = append(b.Unread, err)
	}
}

// writtenAt returns zero for what cannot be looked at.
func writtenAt(x *os.Root, name string) time.Time {
	info, err := x.Lstat(name)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// readRev reads a rev file whose content must be what its name says.
func readRev(ctx context.Context, x *os.Root, d ownership.Digest, r ownership.Revision) (Rev, error) {
	f, err := openRegular(x, revName(r))
	var irregular *irregularError
	if errors.As(err, &irregular) {
		err = &badError{irregular}
	}
	if err != nil {
		return Rev{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Rev{}, err
	}
	stored, err := readStored(ctx, f)
	if err != nil {
		return Rev{}, err
	}
	record, err := checked(stored, d, r)
	if err != nil {
		return Rev{}, err
	}
	return Rev{
		Revision: r, Previous: previousOf(record), Generation: record.Generation, WrittenAt: info.ModTime(), Bytes: stored.Bytes,
	}, nil
}

func checked(s lease.Stored, d ownership.Digest, r ownership.Revision) (ownership.Record, error) {
	if s.Revision != r {
		return ownership.Record{}, &badError{fmt.Errorf("%s has other bytes than its name says: revision %s", revName(r), s.Revision)}
	}
	reading := s.Reading(d)
	if reading.Fault != nil {
		return ownership.Record{}, &badError{fmt.Errorf("%s: %w", revName(r), reading.Fault)}
	}
	return *reading.Record, nil
}

func previousOf(r ownership.Record) ownership.Revision {
	if r.PreviousRevision == nil {
		return ownership.Revision{}
	}
	return *r.PreviousRevision
}

// sort tells the records of the past from those that never came into force. Off the
// chain, a record that another one follows was in force; one that competes with a
// record of the chain, or would follow the current one, was not.
func (b *Outbox) sort(revs []Rev, current ownership.Reading) {
	by := make(map[ownership.Revision]Rev, len(revs))
	followed := map[ownership.Revision]bool{}
	for _, r := range revs {
		by[r.Revision] = r
		followed[r.Previous] = true
	}
	taken := b.followChain(by, current)
	for _, r := range by {
		if r.Loose = true; taken[r.Previous] && !followed[r.Revision] {
			b.Strays = append(b.Strays, r)
		} else {
			b.Past = append(b.Past, r)
		}
	}
	slices.SortFunc(b.Strays, older)
	slices.SortStableFunc(b.Past, older)
	b.Past = linked(b.Past)
}

// followChain moves the records of the chain from by to Past, newest first, and
// returns the revisions that a record of the chain follows, or would.
func (b *Outbox) followChain(by map[ownership.Revision]Rev, current ownership.Reading) map[ownership.Revision]bool {
	taken := map[ownership.Revision]bool{}
	if current.Fault != nil {
		return taken
	}
	taken[b.Current.Revision] = true
	if current.Record == nil {
		return taken
	}
	at := previousOf(*current.Record)
	for {
		taken[at] = true
		rev, ok := by[at]
		if !ok {
			return taken
		}
		delete(by, at)
		b.Past = append(b.Past, rev)
		at = rev.Previous
	}
}

func older(a, b Rev) int {
	return cmp.Or(cmp.Compare(a.Generation, b.Generation), cmp.Compare(a.Revision.String(), b.Revision.String()))
}

// linked orders the records of each generation, several of one owner, by their chain.
func linked(revs []Rev) []Rev {
	for from := 0; from < len(revs); {
		to := from + 1
		for to < len(revs) && revs[to].Generation == revs[from].Generation {
			to++
		}
		orderByChain(revs[from:to])
		from = to
	}
	return revs
}

// orderByChain puts each record behind the one that it follows.
func orderByChain(revs []Rev) {
	if len(revs) < 2 {
		return
	}
	next := make(map[ownership.Revision]Rev, len(revs))
	inside := make(map[ownership.Revision]bool, len(revs))
	for _, r := range revs {
		next[r.Previous] = r
		inside[r.Revision] = true
	}
	ordered := make([]Rev, 0, len(revs))
	for _, first := range revs {
		if inside[first.Previous] {
			continue
		}
		for r, ok := first, true; ok; r, ok = next[r.Revision] {
			ordered = append(ordered, r)
		}
	}
	if len(ordered) == len(revs) {
		copy(revs, ordered)
	}
}

// ReadRev returns a record of the outbox, or the zero value for one that has been
// archived.
func (s *Store) ReadRev(ctx context.Context, d ownership.Digest, r ownership.Revision) (lease.Stored, error) {
	x, err := s.openSession(d)
	if x == nil {
		return lease.Stored{}, err
	}
	defer x.Close()
	stored, err := readPast(ctx, x, r)
	return stored, s.failed("read history", s.at(sessionsName, d.String(), revName(r)), err)
}
