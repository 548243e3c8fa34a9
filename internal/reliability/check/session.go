package check

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"holdfast/ownership"
)

// room is what was read of one session.
type room struct {
	*judge
	digest  ownership.Digest
	told    *Session
	path    string
	records map[ownership.Revision]ownership.Record
	chain   []ownership.Revision // from the record in force back to the first
}

// session judges one session.
func (j *judge) session(d ownership.Digest) {
	r := &room{
		judge: j, digest: d, told: j.history[d],
		path:    filepath.Join(j.dir, "sessions", d.String()),
		records: map[ownership.Revision]ownership.Record{},
	}
	if r.told == nil {
		r.told = &Session{}
	}
	r.readHistory()
	revision, ok := r.readRecord()
	if !ok {
		return
	}
	r.follow(revision)
	r.compareWithTold()
}

// readHistory reads every record that has a place in history, under its own hash.
func (r *room) readHistory() {
	for _, b := range r.told.Past {
		r.keep(ownership.RevisionOf(b), b, "archive")
	}
	for _, name := range r.namesIn(filepath.Join("sessions", r.digest.String())) {
		hex, ok := strings.CutPrefix(strings.TrimSuffix(name, ".json"), "rev.")
		if !ok {
			continue
		}
		path := filepath.Join(r.path, name)
		b, err := os.ReadFile(path)
		if err != nil {
			r.add("I11", path, "cannot be read: %v", err)
			continue
		}
		if revision := ownership.RevisionOf(b); revision.String() != hex {
			r.add("I11", path, "its bytes hash to %s", revision)
		} else {
			r.keep(revision, b, path)
		}
	}
}

func (r *room) keep(revision ownership.Revision, b []byte, path string) {
	record, err := ownership.Decode(b)
	switch {
	case err != nil:
		r.add("I1", path, "is no record: %v", err)
	case record.KeyDigest != r.digest:
		r.add("I1", path, "is a record of session %s", record.KeyDigest)
	default:
		r.records[revision] = record
	}
}

// readRecord reads the record in force and reports whether there is one to judge.
func (r *room) readRecord() (revision ownership.Revision, ok bool) {
	path := filepath.Join(r.path, "record.json")
	b, err := os.ReadFile(path)
	switch {
	case r.told.Damaged && err == nil && !r.isRecord(b):
		return revision, false
	case errors.Is(err, fs.ErrNotExist):
		if len(r.told.Told) > 0 {
			r.add("I9", path, "is missing, and revision %s was told to be in force", r.told.Last())
		}
		return revision, false
	case err != nil:
		if !r.told.Damaged {
			r.add("I1", path, "cannot be read: %v", err)
		}
		return revision, false
	}
	revision = ownership.RevisionOf(b)
	if _, known := r.records[revision]; !known && revision == r.told.Last() {
		r.add("I11", path, "was told to be in force and has no name in history: %s", revision)
	}
	r.keep(revision, b, path)
	_, ok = r.records[revision]
	return revision, ok
}

func (r *room) isRecord(b []byte) bool {
	_, err := ownership.Decode(b)
	return err == nil
}
