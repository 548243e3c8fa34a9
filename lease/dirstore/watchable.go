package dirstore

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"holdfast/internal/durable"
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

// ChangedAt returns when the session's directory or the file in the record's place was
// last changed, as the file system itself keeps it: a file that is put back from
// elsewhere brings no older time with it. Zero: there is no record. It is evidence only.
func (s *Store) ChangedAt(ctx context.Context, d ownership.Digest) (time.Time, error) {
	x, err := s.openSession(d)
	if x == nil {
		return time.Time{}, err
	}
	defer x.Close()
	at, err := changedAt(x.Root)
	return at, s.failed("look at record", s.at(sessionsName, d.String(), recordName), err)
}

func changedAt(x *os.Root) (time.Time, error) {
	dir, err := x.Open(".")
	if err != nil {
		return time.Time{}, err
	}
	defer dir.Close()
	var self, record unix.Stat_t
	if err := durable.Retry(func() error { return unix.Fstat(int(dir.Fd()), &self) }); err != nil {
		return time.Time{}, err
	}
	err = durable.Retry(func() error { return unix.Fstatat(int(dir.Fd()), recordName, &record, unix.AT_SYMLINK_NOFOLLOW) })
	if err != nil {
		return time.Time{}, ignoreMissing(err)
	}
	at := time.Unix(self.Ctim.Unix())
	if r := time.Unix(record.Ctim.Unix()); r.After(at) {
		at = r
	}
	return at, nil
}
