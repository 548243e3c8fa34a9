package dirstore

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"holdfast/ownership"
)

// SessionsPath is the directory in which every session has one of its own, named after
// its digest, for those who want to be told of changes.
func (s *Store) SessionsPath() string { return s.at(sessionsName) }

// SessionPath is the directory of one session.
func (s *Store) SessionPath(d ownership.Digest) string { return s.at(sessionsName, d.String()) }

// Concerns reports which session a changed file belongs to, if a change of it can be a
// change of the session's state: its record, a lock file, or its directory.
func (s *Store) Concerns(path string) (d ownership.Digest, ok bool) {
	rest, err := filepath.Rel(s.SessionsPath(), path)
	if err != nil {
		return d, false
	}
	dir, name, inside := strings.Cut(rest, "/")
	if d, err = ownership.ParseDigest(dir); err != nil {
		return d, false
	}
	_, _, lock := lockOf(name)
	return d, !inside || lock || name == recordName
}

// WrittenAt returns when the file in the record's place was written, and the zero time
// where there is none. It is evidence only.
func (s *Store) WrittenAt(ctx context.Context, d ownership.Digest) (time.Time, error) {
	x, err := s.openSession(d)
	if x == nil {
		return time.Time{}, err
	}
	defer x.Close()
	info, err := x.Lstat(recordName)
	if err != nil {
		return time.Time{}, s.failed("look at record", s.at(sessionsName, d.String(), recordName), ignoreMissing(err))
	}
	return info.ModTime(), nil
}
