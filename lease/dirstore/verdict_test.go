package dirstore_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/durable"
	"holdfast/lease"
	"holdfast/lease/dirstore"
	"holdfast/ownership"
)

// idleSession is a session that nobody owns, as it was left.
func idleSession(t *testing.T) (s *dirstore.Store, dir string, c *turn) {
	t.Helper()
	s, dir = newStore(t)
	c = mustAcquire(t, s, "k", self())
	require.NoError(t, c.release())
	return s, dir, c
}

func requireVerdict(t *testing.T, s *dirstore.Store, c *turn, want string) {
	t.Helper()
	got, err := s.Verdict(background, c.digest())
	require.NoError(t, err)
	require.Equal(t, want, string(got.Bytes))
	require.Equal(t, want == "", got.Vacant())
}

// One file and one directory are synced, the file before it is named.
func TestAVerdictIsReplacedDurably(t *testing.T) {
	_, dir, c := idleSession(t)
	seen := &calls{failAt: -1}
	s := seen.store(t, dir)
	requireVerdict(t, s, c, "")
	for _, want := range []string{"one", "two"} {
		seen.seen = nil
		require.NoError(t, s.SetVerdict(background, c.digest(), c.current.Revision, []byte(want)))
		requireVerdict(t, s, c, want)
		var order []string
		for _, call := range seen.seen {
			op, _, _ := strings.Cut(call, " ")
			order = append(order, op)
		}
		require.Equal(t, []string{"create", "fchmod", "write", "fstat", "fsync", "close", "lock", "rename", "unlock", "sync", "closedir"}, order)
	}
	requireModes(t, dir)
	require.NotContains(t, strings.Join(names(t, sessionDir(dir, "k")), " "), "verdict.json.")
}

// Whatever fails, and whether it was done or not, the error tells the truth: unknown,
// or nothing has changed and no temporary is left (I9).
func TestAFailedVerdictChangeTellsTheTruth(t *testing.T) {
	for name, change := range map[string]func(s *dirstore.Store, c *turn) error{
		"set": func(s *dirstore.Store, c *turn) error {
			return s.SetVerdict(background, c.digest(), c.current.Revision, []byte("new"))
		},
		"clear": func(s *dirstore.Store, c *turn) error {
			return s.ClearVerdict(background, c.digest(), ownership.RevisionOf([]byte("old")))
		},
	} {
		s, dir, c := idleSession(t)
		old := func() { require.NoError(t, s.SetVerdict(background, c.digest(), c.current.Revision, []byte("old"))) }
		old()
		whole := &calls{failAt: -1}
		require.NoError(t, change(whole.store(t, dir), c))
		for failAt := range whole.seen {
			for _, done := range []bool{false, true} {
				old()
				before := tree(t, dir)
				broken := &calls{failAt: failAt, done: done}
				err := change(broken.store(t, dir), c)
				op, _, _ := strings.Cut(broken.seen[failAt], " ")
				switch {
				case err == nil:
					require.Equal(t, "closedir", op, name)
				case errors.Is(err, lease.ErrOutcomeUnknown):
					require.Contains(t, []string{"rename", "remove", "unlock", "sync"}, op, name)
				default:
					require.ErrorIs(t, err, errInjected)
					require.Equal(t, before, tree(t, dir), "%s: failing %s, done %v", name, broken.seen[failAt], done)
				}
			}
		}
	}
}

// A verdict is set on the record that was looked at, or not at all (I8).
func TestAVerdictOnAnotherRecordConflicts(t *testing.T) {
	_, dir, c := idleSession(t)
	before := tree(t, dir)
	seen := &calls{failAt: -1}
	s := seen.store(t, dir)
	err := s.SetVerdict(background, c.digest(), ownership.Revision{1}, []byte("late"))
	require.ErrorIs(t, err, lease.ErrConflict)
	require.NotContains(t, strings.Join(seen.seen, " "), "create", "it leaves no trace at all")
	err = s.SetVerdict(background, keyOf("nobody").Digest(), ownership.Revision{}, []byte("early"))
	require.ErrorIs(t, err, lease.ErrConflict)
	require.ErrorIs(t, s.ClearVerdict(background, c.digest(), ownership.Revision{}), lease.ErrConflict)
	require.Equal(t, before, tree(t, dir))

	require.NoError(t, s.SetVerdict(background, c.digest(), c.current.Revision, []byte("kept")))
	require.ErrorIs(t, s.ClearVerdict(background, c.digest(), ownership.RevisionOf([]byte("other"))), lease.ErrConflict)
	requireVerdict(t, s, c, "kept")
	require.NoError(t, s.ClearVerdict(background, c.digest(), ownership.RevisionOf([]byte("kept"))))
	requireVerdict(t, s, c, "")
	require.Equal(t, before, tree(t, dir))
}

func TestAVerdictThatIsNoFileIsRefused(t *testing.T) {
	planted(t, "verdict.json", func(t *testing.T, s lease.Store, c *turn) {
		keeper := s.(lease.Verdicts)
		got, err := keeper.Verdict(background, c.digest())
		require.NoError(t, err)
		require.Error(t, got.Fault)
		require.Nil(t, got.Bytes)
		require.ErrorIs(t, keeper.SetVerdict(background, c.digest(), c.current.Revision, []byte("{}")), lease.ErrStoreUnavailable)
		require.ErrorIs(t, keeper.ClearVerdict(background, c.digest(), got.Revision), lease.ErrStoreUnavailable)
	})
}

// Links are refused in every component below the store.
func TestAVerdictBehindALinkIsRefused(t *testing.T) {
	for _, component := range []string{"sessions", "session"} {
		s, dir, c := idleSession(t)
		require.NoError(t, s.SetVerdict(background, c.digest(), c.current.Revision, []byte("{}")))
		at := map[string]string{"sessions": filepath.Join(dir, "sessions"), "session": sessionDir(dir, "k")}[component]
		moved := filepath.Join(t.TempDir(), "moved")
		require.NoError(t, os.Rename(at, moved))
		require.NoError(t, os.Symlink(moved, at))
		_, err := s.Verdict(background, c.digest())
		require.Error(t, err, component)
		require.Error(t, s.SetVerdict(background, c.digest(), c.current.Revision, []byte("x")), component)
		require.Error(t, s.ClearVerdict(background, c.digest(), ownership.RevisionOf([]byte("{}"))), component)
	}
}

func TestTheSizeOfAVerdictIsBounded(t *testing.T) {
	s, dir, c := idleSession(t)
	full := bytes.Repeat([]byte(" "), lease.MaxVerdictSize)
	require.NoError(t, s.SetVerdict(background, c.digest(), c.current.Revision, full))
	requireVerdict(t, s, c, string(full))
	var field *ownership.FieldError
	require.ErrorAs(t, s.SetVerdict(background, c.digest(), c.current.Revision, append(full, ' ')), &field)

	at := filepath.Join(sessionDir(dir, "k"), "verdict.json")
	require.NoError(t, os.Truncate(at, 1<<40))
	got, err := s.Verdict(background, c.digest())
	require.NoError(t, err)
	require.Error(t, got.Fault)
	require.NoError(t, os.Truncate(at, 1<<39))
	require.ErrorIs(t, s.ClearVerdict(background, c.digest(), got.Revision), lease.ErrConflict, "it is another one now")
	got, err = s.Verdict(background, c.digest())
	require.NoError(t, err)
	require.NoError(t, s.ClearVerdict(background, c.digest(), got.Revision))
	requireVerdict(t, s, c, "")
}

// What a killed writer leaves is a leftover, and the verdict itself is none.
func TestAHalfWrittenVerdictIsALeftover(t *testing.T) {
	s, dir, c := idleSession(t)
	require.NoError(t, s.SetVerdict(background, c.digest(), c.current.Revision, []byte("{}")))
	for _, name := range []string{"verdict.json.0123456789abcdef", "verdict.json.bak"} {
		require.NoError(t, os.WriteFile(filepath.Join(sessionDir(dir, "k"), name), nil, 0o600))
	}
	h, err := s.Health(background)
	require.NoError(t, err)
	require.Len(t, h.Leftovers, 1)
	require.Equal(t, dirstore.VerdictLeftover, h.Leftovers[0].Kind)
}

// The comparison that counts is made under the lock: an owner that comes in between is
// not given the verdict on the one before (I6).
func TestAVerdictThatAnOwnerOvertakesConflicts(t *testing.T) {
	s, dir, c := idleSession(t)
	overtaken := false
	slow, err := dirstore.Open(dir, dirstore.Options{Calls: func(call durable.Call, apply func() error) error {
		if call.Op == "lock" && !overtaken {
			overtaken = true
			next := mustAcquire(t, s, "k", self())
			require.NoError(t, s.SetVerdict(background, c.digest(), next.current.Revision, []byte("next")))
		}
		return apply()
	}})
	require.NoError(t, err)
	require.ErrorIs(t, slow.SetVerdict(background, c.digest(), c.current.Revision, []byte("late")), lease.ErrConflict)
	requireVerdict(t, s, c, "next")
	require.NotContains(t, strings.Join(names(t, sessionDir(dir, "k")), " "), "verdict.json.")
}

// Whoever keeps the directory's lock is named, and nothing is left.
func TestAVerdictBehindATakenLockNamesItsHolder(t *testing.T) {
	t.Parallel() // it mostly waits
	s, dir, c := idleSession(t)
	before := tree(t, dir)
	locker := start(t, "lock-dir", nil, sessionDir(dir, "k"))
	locker.awaitReady(t)
	err := s.SetVerdict(background, c.digest(), c.current.Revision, []byte("{}"))
	require.ErrorIs(t, err, lease.ErrStoreUnavailable)
	require.Contains(t, err.Error(), strconv.Itoa(locker.Process.Pid))
	require.Equal(t, before, tree(t, dir))
	locker.kill(t)
	require.NoError(t, s.SetVerdict(background, c.digest(), c.current.Revision, []byte("{}")))
}
