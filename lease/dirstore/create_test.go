package dirstore_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/durable"
	"holdfast/lease"
	"holdfast/lease/dirstore"
)

var errInjected = errors.New("injected")

// Reading a store that does not exist answers and creates nothing, not even the
// directories above it (I8).
func TestReadingCreatesNothing(t *testing.T) {
	parent := t.TempDir()
	s := openStore(t, filepath.Join(parent, "a", "b", "store"))
	d := keyOf("k").Digest()
	stored, err := s.Load(background, d)
	require.NoError(t, err)
	require.True(t, stored.Vacant())
	for range s.List(background) {
		t.Fatal("a session in a store that does not exist")
	}
	for range s.Past(background, d) {
		t.Fatal("history in a store that does not exist")
	}
	pulse, err := s.Pulse(background, d)
	require.NoError(t, err)
	require.Nil(t, pulse)
	holders, err := s.Holders(background, d, 1, "life")
	require.NoError(t, err)
	require.Empty(t, holders)
	traces, err := s.Traces(background, d)
	require.NoError(t, err)
	require.Zero(t, traces)
	require.Error(t, s.SetPulse(background, d, []byte("{}")))
	h, err := s.Health(background)
	require.NoError(t, err)
	require.Equal(t, dirstore.Missing, h.Condition)
	require.Empty(t, names(t, parent))
}

func TestTheFirstHoldCreatesTheStore(t *testing.T) {
	parent := resolved(t, t.TempDir())
	dir := filepath.Join(parent, "a", "store")
	mustAcquire(t, openStore(t, dir), "k", self())
	requireModes(t, filepath.Join(parent, "a"))
	require.ElementsMatch(t, []string{"holdfast.store", "sessions", "quarantine"}, names(t, dir))
}

// requireModes wants 0700 and 0600 of everything, dir included.
func requireModes(t *testing.T, dir string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := e.Info()
		require.NoError(t, err)
		want := durable.FileMode
		if e.IsDir() {
			want = durable.DirMode
		}
		require.Equal(t, want, info.Mode().Perm(), path)
		return nil
	}))
}

// Twenty processes meet a store that does not exist, under any umask, and nobody is
// refused by what another is just making.
func TestTwentyFirstUsersAtOnce(t *testing.T) {
	t.Parallel() // others wait meanwhile
	for _, mask := range []string{"000", "077", "277", "777"} {
		t.Run(mask, func(t *testing.T) {
			home := forNobody(t)
			dir := filepath.Join(home, "state", "store")
			var users []*other
			for n := range 20 {
				users = append(users, start(t, "first-user", together(umask(mask), asNobody), dir, fmt.Sprint("k", n)))
			}
			for _, u := range users {
				u.awaitReady(t)
			}
			for _, u := range users {
				require.NoError(t, u.stdin.Close())
			}
			for _, u := range users {
				require.NoError(t, u.Wait(), "%s", u.stderr)
			}
			requireModes(t, filepath.Join(home, "state"))
			require.Len(t, names(t, filepath.Join(dir, "sessions")), 20)
		})
	}
}

func TestADirectoryWithAnythingElseIsNeverAdopted(t *testing.T) {
	for what, put := range map[string]func(dir string) error{
		"a file":             func(dir string) error { return os.WriteFile(filepath.Join(dir, "x"), nil, 0o600) },
		"other sessions":     func(dir string) error { return os.MkdirAll(filepath.Join(dir, "sessions", "mine"), 0o700) },
		"other quarantine":   func(dir string) error { return os.MkdirAll(filepath.Join(dir, "quarantine", "mine"), 0o700) },
		"sessions is a file": func(dir string) error { return os.WriteFile(filepath.Join(dir, "sessions"), nil, 0o600) },
		"a link":             func(dir string) error { return os.Symlink("/etc", filepath.Join(dir, "sessions")) },
		"a marker that is a directory": func(dir string) error {
			return os.Mkdir(filepath.Join(dir, "holdfast.store"), 0o700)
		},
	} {
		t.Run(what, func(t *testing.T) {
			s, dir := newStore(t)
			require.NoError(t, os.Mkdir(dir, 0o700))
			require.NoError(t, put(dir))
			before := tree(t, dir)
			_, err := s.Hold(background, keyOf("k").Digest(), 1)
			require.ErrorIs(t, err, lease.ErrStoreUnavailable)
			_, err = s.Load(background, keyOf("k").Digest())
			require.ErrorIs(t, err, lease.ErrStoreUnavailable)
			require.Equal(t, before, tree(t, dir))
			h, err := s.Health(background)
			require.NoError(t, err)
			require.Equal(t, dirstore.Foreign, h.Condition)
		})
	}
}

func TestAStorePathThatIsNoDirectoryIsRefused(t *testing.T) {
	for kind, plant := range plants {
		if kind == "directory" || kind == "link" || kind == "inner link" {
			continue // a link to a directory may be a store's name
		}
		t.Run(kind, func(t *testing.T) {
			at := filepath.Join(t.TempDir(), "store")
			target := filepath.Join(t.TempDir(), "target")
			plant(t, at, target)
			s := openStore(t, at)
			_, err := s.Hold(background, keyOf("k").Digest(), 1)
			require.ErrorIs(t, err, lease.ErrStoreUnavailable)
			require.NoDirExists(t, target+".absent")
		})
	}
}

// calls records the calls of a store, and fails the one whose number is failAt.
type calls struct {
	seen    []string
	failAt  int
	done    bool   // the failing call is done and answered with an error
	refused string // a call that fails whenever it is made
}

func (c *calls) intercept(call durable.Call, apply func() error) error {
	n := len(c.seen)
	c.seen = append(c.seen, call.Op+" "+call.Name)
	if n != c.failAt && c.seen[n] != c.refused {
		return apply()
	}
	if c.done {
		if err := apply(); err != nil {
			return err
		}
	}
	return fmt.Errorf("%s %s: %w", call.Op, call.Name, errInjected)
}

func (c *calls) store(t testing.TB, dir string) *dirstore.Store {
	t.Helper()
	s, err := dirstore.Open(dir, dirstore.Options{Calls: c.intercept})
	require.NoError(t, err)
	return s
}

// syncs counts the calls that sync.
func (c *calls) syncs() int {
	count := 0
	for _, call := range c.seen {
		if strings.HasPrefix(call, "sync") || strings.HasPrefix(call, "fsync") {
			count++
		}
	}
	return count
}

// A maker that stops at any call leaves something that the next one completes, with
// every sync of a creation made by whoever first sees the marker missing.
func TestAHalfMadeStoreIsCompleted(t *testing.T) {
	t.Parallel() // others wait meanwhile
	whole := &calls{failAt: -1}
	_, err := whole.store(t, filepath.Join(t.TempDir(), "store")).Hold(background, keyOf("k").Digest(), 1)
	require.NoError(t, err)
	for failAt := range whole.seen {
		for _, done := range []bool{false, true} {
			dir := filepath.Join(t.TempDir(), "store")
			first := &calls{failAt: failAt, done: done}
			h, err := first.store(t, dir).Hold(background, keyOf("k").Digest(), 1)
			if err == nil {
				require.NoError(t, h.Drop())
			}
			stored, err := openStore(t, dir).Load(background, keyOf("k").Digest())
			require.NoError(t, err, "half-made by %v", first.seen)
			require.True(t, stored.Vacant())

			second := &calls{failAt: -1}
			c := mustAcquire(t, second.store(t, dir), "k", self())
			require.NoError(t, c.release())
			requireModes(t, dir)
			require.ElementsMatch(t, []string{"holdfast.store", "sessions", "quarantine"}, names(t, dir))
			if !slices.Contains(first.seen, "create holdfast.store") {
				require.GreaterOrEqual(t, second.syncs(), whole.syncs(), "after %v", first.seen)
			}
		}
	}
}

// Everything that a marker promises is durable before it, the marker itself after.
func TestTheMarkerIsLast(t *testing.T) {
	seen := &calls{failAt: -1}
	s := seen.store(t, filepath.Join(t.TempDir(), "a", "store"))
	h, err := s.Hold(background, keyOf("k").Digest(), 1)
	require.NoError(t, err)
	defer h.Drop()
	order := []string{
		"mkdir a", "chmod a", "mkdir store", "chmod store",
		"mkdir sessions", "chmod sessions", "sync .", "mkdir quarantine", "chmod quarantine", "sync .",
		"sync .", "sync .", "sync .", // the store, a, and what a is in
		"create holdfast.store", "fchmod holdfast.store", "fsync holdfast.store", "sync .", "mkdir " + keyOf("k").Digest().String(),
	}
	at := 0
	for _, call := range seen.seen {
		if at < len(order) && call == order[at] {
			at++
		}
	}
	require.Equal(t, len(order), at, "%q is missing in its place in %q", order[min(at, len(order)-1)], seen.seen)
}

// Power can fail after the marker was seen and used and before it was durable: the
// records are there and count.
func TestAHalfMadeStoreKeepsItsRecords(t *testing.T) {
	s, dir := newStore(t)
	c := mustAcquire(t, s, "k", self())
	require.NoError(t, os.Remove(filepath.Join(dir, "holdfast.store")))
	h, err := s.Health(background)
	require.NoError(t, err)
	require.Equal(t, dirstore.HalfMade, h.Condition)
	stored, err := s.Load(background, c.digest())
	require.NoError(t, err)
	require.Equal(t, c.bytes, stored.Bytes)
	require.NoError(t, c.release())
	require.NoError(t, mustAcquire(t, s, "k", self()).release())
	require.FileExists(t, filepath.Join(dir, "holdfast.store"))
}

// One store has one identity by whatever way it is named, before and after it exists.
func TestIdentity(t *testing.T) {
	parent := resolved(t, t.TempDir())
	dir := filepath.Join(parent, "real", "store")
	require.NoError(t, os.Mkdir(filepath.Join(parent, "real"), 0o700))
	require.NoError(t, os.Symlink("real", filepath.Join(parent, "link")))
	t.Chdir(parent)
	ways := []string{
		dir, "real/store", "./real//store/", "real/../real/store", "link/store",
		filepath.Join(parent, "link", "store"),
	}
	for _, way := range ways {
		require.Equal(t, dir, openStore(t, way).Identity(), way)
	}
	s := openStore(t, "real/store")
	mustAcquire(t, s, "k", self())
	for _, way := range ways {
		other := openStore(t, way)
		require.Equal(t, dir, other.Identity(), way)
		_, err := acquire(other, "k", self())
		require.Error(t, err, way)
		_, err = other.Hold(background, keyOf("k").Digest(), 1)
		require.ErrorIs(t, err, lease.ErrHeld, way)
	}
	// What the process or a child does to its working directory changes nothing.
	t.Chdir("/")
	_, err := s.Load(background, keyOf("k").Digest())
	require.NoError(t, err)
	require.Equal(t, dir, s.Identity())
}

func TestOpenRefusesWhatIsNoPath(t *testing.T) {
	for _, path := range []string{"", "a\x00b"} {
		_, err := dirstore.Open(path, dirstore.Options{})
		require.ErrorIs(t, err, lease.ErrStoreUnavailable)
	}
}
