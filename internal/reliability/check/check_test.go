package check_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/reliability/check"
	"holdfast/ownership"
)

// shelf writes the store of one session, as its layout says.
type shelf struct {
	t       *testing.T
	dir     string
	key     ownership.Key
	told    *check.Session
	current ownership.Current
}

func newShelf(t *testing.T) *shelf {
	k, err := ownership.ParseKey("k")
	require.NoError(t, err)
	s := &shelf{t: t, dir: t.TempDir(), key: k, told: &check.Session{}}
	require.NoError(t, os.Chmod(s.dir, 0o700))
	require.NoError(t, os.MkdirAll(s.room(), 0o700))
	require.NoError(t, os.Mkdir(filepath.Join(s.dir, "quarantine"), 0o700))
	s.write(filepath.Join(s.dir, "holdfast.store"), nil)
	return s
}

func (s *shelf) room() string { return filepath.Join(s.dir, "sessions", s.key.Digest().String()) }

func (s *shelf) write(path string, b []byte) {
	require.NoError(s.t, os.WriteFile(path, b, 0o600))
}

func (s *shelf) rev(r ownership.Revision) string {
	return filepath.Join(s.room(), "rev."+r.String()+".json")
}

// publish puts a record in force and tells of it.
func (s *shelf) publish(r ownership.Record, err error) ownership.Revision {
	require.NoError(s.t, err)
	b, err := ownership.Encode(r)
	require.NoError(s.t, err)
	revision := ownership.RevisionOf(b)
	s.write(s.rev(revision), b)
	s.write(filepath.Join(s.room(), "record.json"), b)
	s.told.Told = append(s.told.Told, revision)
	s.current = ownership.Current{Record: &r, Revision: revision}
	return revision
}

func (s *shelf) acquire() ownership.Revision {
	var id ownership.OperationID
	copy(id[:], fmt.Sprint(len(s.told.Told), time.Now().UnixNano()))
	owner := ownership.Owner{
		Kind: "test", OperationID: id, User: "ana", Host: "devbox", PID: 7, Program: "agent", AcquiredAt: ownership.At(time.Now()),
	}
	return s.publish(ownership.Acquire(s.current, ownership.Claim{Key: s.key, Owner: owner}))
}

func (s *shelf) release() ownership.Revision {
	return s.publish(ownership.ReleaseAcknowledge(s.current))
}

func (s *shelf) recover() ownership.Revision {
	f := ownership.Force{At: ownership.At(time.Now()), Actor: "ana", Liveness: ownership.Gone}
	return s.publish(ownership.Recover(s.current, f))
}

func (s *shelf) found() (invariants []string) {
	for _, v := range check.Store(s.dir, check.History{s.key.Digest(): s.told}) {
		invariants = append(invariants, v.Invariant)
	}
	return invariants
}

func TestASoundStoreHasNoViolations(t *testing.T) {
	s := newShelf(t)
	require.Empty(t, s.found())
	s.acquire()
	s.release()
	s.acquire()
	s.recover()
	s.acquire()
	require.Empty(t, s.found())
	require.Empty(t, check.Store(filepath.Join(s.dir, "missing"), check.History{}))
}

// What a checker does not find nobody finds.
func TestEachViolationIsFound(t *testing.T) {
	for name, c := range map[string]struct {
		harm func(s *shelf)
		want string
	}{
		"a record that was told is lost":     {func(s *shelf) { s.told.Told = append(s.told.Told, ownership.RevisionOf([]byte("lost"))) }, "I9"},
		"no record is left":                  {func(s *shelf) { os.Remove(filepath.Join(s.room(), "record.json")) }, "I9"},
		"a record nobody was told of":        {func(s *shelf) { s.release(); s.told.Told = s.told.Told[:len(s.told.Told)-1] }, "I8"},
		"a record told out of order":         {func(s *shelf) { s.told.Told[0], s.told.Told[1] = s.told.Told[1], s.told.Told[0] }, "I6"},
		"half a record":                      {func(s *shelf) { s.write(filepath.Join(s.room(), "record.json"), []byte("{")) }, "I1"},
		"a gap in history":                   {func(s *shelf) { os.Remove(s.rev(s.told.Told[0])) }, "I11"},
		"history under another hash":         {func(s *shelf) { os.Rename(s.rev(s.told.Told[0]), s.rev(ownership.RevisionOf(nil))) }, "I11"},
		"a record in force without a name":   {func(s *shelf) { os.Remove(s.rev(s.current.Revision)) }, "I11"},
		"an owner after a living one":        {func(s *shelf) { s.skip(func(r *ownership.Record) { r.Owner.OperationID[0]++ }) }, "I3"},
		"a generation that is left out":      {func(s *shelf) { s.skip(func(r *ownership.Record) { r.Generation++ }) }, "I3"},
		"an idle record after an idle one":   {func(s *shelf) { s.release(); s.skip(func(*ownership.Record) {}) }, "I6"},
		"a name that is not ours":            {func(s *shelf) { s.write(filepath.Join(s.room(), "x"), nil) }, "layout"},
		"a file that is open to others":      {func(s *shelf) { os.Chmod(s.rev(s.current.Revision), 0o644) }, "layout"},
		"a directory that is open to others": {func(s *shelf) { os.Chmod(s.room(), 0o755) }, "layout"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShelf(t)
			s.acquire()
			s.release()
			s.acquire()
			c.harm(s)
			require.Contains(t, s.found(), c.want)
		})
	}
}

// skip publishes what follows the current record, changed.
func (s *shelf) skip(change func(*ownership.Record)) {
	r, owner := *s.current.Record, *s.current.Record.Owner
	r.Owner, r.PreviousRevision = &owner, &s.current.Revision
	change(&r)
	s.publish(r, nil)
}
