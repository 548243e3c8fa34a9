package admin

import (
	"context"
	"time"

	"holdfast/internal/journal"
	"holdfast/lease"
	"holdfast/lease/dirstore"
	"holdfast/ownership"
)

// What one transaction takes at most.
const (
	batchRecords = 512
	batchBytes   = 1 << 20
)

// Archive moves what the files of a session keep of its past into the store's archive,
// and returns how many records that were. Records are durable there before they are
// removed here (I11): killed at any point, none is lost and none is told twice. The
// current record stays where it is, and so does everything of a session whose record
// cannot be read.
func Archive(ctx context.Context, s lease.Store, t Target) (int, error) {
	return archive(ctx, s, t, archiver{})
}

// archive is Archive with what a knows of the session.
func archive(ctx context.Context, s lease.Store, t Target, a archiver) (int, error) {
	if _, keepsAll := s.(lease.Chronicler); keepsAll {
		return 0, nil
	}
	h, err := historianOf(s)
	if err != nil {
		return 0, err
	}
	leave := a.room.enter()
	box, err := h.Outbox(ctx, t.Digest)
	leave()
	if err != nil {
		return 0, err
	}
	if box.Current.Reading(t.Digest).Fault != nil || len(box.Faults()) > 0 {
		return 0, nil // what follows a file that cannot be read would be archived out of its order
	}
	a.store, a.journal, a.digest = h, journal.At(h.JournalPath()), t.Digest
	return a.past(ctx, box.Past)
}

// archiver moves the history of one session.
type archiver struct {
	store   historian
	journal *journal.Journal
	digest  ownership.Digest
	room    room               // of those that are at their session's files
	known   ownership.Revision // the record that was just published durably, or zero
}

// past archives, oldest first, and returns how many it did, also with an error.
func (a archiver) past(ctx context.Context, revs []dirstore.Rev) (int, error) {
	done := 0
	for done < len(revs) {
		batch, n, err := a.read(ctx, revs, done)
		if err == nil {
			err = a.move(ctx, batch)
		}
		if err != nil {
			return done, err
		}
		done += n
	}
	return done, nil
}

// writtenBefore returns the oldest records up to the first that is too young.
func writtenBefore(revs []dirstore.Rev, cutoff time.Time) []dirstore.Rev {
	if cutoff.IsZero() {
		return revs
	}
	for n, r := range revs {
		if !r.WrittenAt.Before(cutoff) {
			return revs[:n]
		}
	}
	return revs
}

// move is the one order of archiving: durable there, then removed here.
func (a archiver) move(ctx context.Context, batch []journal.Record) error {
	if err := a.journal.Append(ctx, journal.Batch{Records: batch}); err != nil {
		return archiveFault(err)
	}
	defer a.room.enter()()
	return a.store.Forget(ctx, a.digest, revisionsOf(batch), a.known)
}

func revisionsOf(records []journal.Record) []ownership.Revision {
	all := make([]ownership.Revision, len(records))
	for n, r := range records {
		all[n] = r.Revision
	}
	return all
}

// read returns the records of a batch from a position on, and how many positions it
// covers: what was archived meanwhile is left out.
func (a archiver) read(ctx context.Context, revs []dirstore.Rev, from int) (batch []journal.Record, n int, err error) {
	size := 0
	for from+n < len(revs) && n < batchRecords && size < batchBytes {
		r, ok, err := a.readOne(ctx, revs[from+n], before(revs, from+n))
		if err != nil {
			return nil, 0, err
		}
		if ok {
			batch = append(batch, r)
			size += len(r.Bytes)
		}
		n++
	}
	return batch, n, nil
}

func (a archiver) readOne(ctx context.Context, rev dirstore.Rev, last *dirstore.Rev) (journal.Record, bool, error) {
	b, err := a.bytes(ctx, rev)
	if err != nil || b == nil {
		return journal.Record{}, false, err
	}
	record, err := ownership.Decode(b)
	if err != nil {
		return journal.Record{}, false, err
	}
	generation, err := a.generationBefore(ctx, rev, last)
	if err != nil {
		return journal.Record{}, false, err
	}
	return journal.Record{
		Digest:     a.digest,
		Generation: rev.Generation,
		Previous:   rev.Previous,
		Revision:   rev.Revision,
		At:         timeOf(record, eventOf(record, generation), ownership.At(rev.WrittenAt)),
		Bytes:      b,
		Loose:      rev.Loose,
	}, true, nil
}

// bytes are nil for a record that was archived meanwhile.
func (a archiver) bytes(ctx context.Context, rev dirstore.Rev) ([]byte, error) {
	if rev.Bytes != nil {
		return rev.Bytes, nil
	}
	stored, err := a.store.ReadRev(ctx, a.digest, rev.Revision)
	return stored.Bytes, err
}

// generationBefore tells an acquisition from a description: the latter follows a
// record of its own generation, which may be in the archive.
func (a archiver) generationBefore(ctx context.Context, rev dirstore.Rev, last *dirstore.Rev) (*ownership.Generation, error) {
	if last != nil && last.Revision == rev.Previous {
		return &last.Generation, nil
	}
	if rev.Previous.IsZero() {
		return nil, nil // the first
	}
	_, ok, err := a.journal.Find(ctx, a.digest, rev.Generation, rev.Previous)
	if !ok || err != nil {
		return nil, archiveFault(err)
	}
	return &rev.Generation, nil
}

// readStrays reads records that never came into force. They are few.
func (a archiver) readStrays(ctx context.Context, revs []dirstore.Rev) (batch []journal.Record, err error) {
	for _, rev := range revs {
		r, ok, err := a.readOne(ctx, rev, nil)
		if err != nil {
			return nil, err
		}
		if ok {
			batch = append(batch, r)
		}
	}
	return batch, nil
}
