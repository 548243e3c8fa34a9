package dirstore_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/lease"
	"holdfast/ownership"
)

// plants are what can stand in the place of a file of ours. None may be followed,
// waited for, written to or created.
var plants = map[string]func(t *testing.T, at, target string){
	"link":          func(t *testing.T, at, target string) { require.NoError(t, os.Symlink(target, at)) },
	"inner link":    func(t *testing.T, at, _ string) { require.NoError(t, os.Symlink("inner", at)) },
	"dangling link": func(t *testing.T, at, target string) { require.NoError(t, os.Symlink(target+".absent", at)) },
	"fifo":          func(t *testing.T, at, _ string) { require.NoError(t, syscall.Mkfifo(at, 0o600)) },
	"directory":     func(t *testing.T, at, _ string) { require.NoError(t, os.Mkdir(at, 0o700)) },
	"socket":        func(t *testing.T, at, _ string) { require.NoError(t, syscall.Mknod(at, syscall.S_IFSOCK|0o600, 0)) },
}

// planted puts each plant in the place of a file of an idle session, and proves that
// whatever try does is done soon and touches nothing.
func planted(t *testing.T, name string, try func(t *testing.T, s lease.Store, c *turn)) {
	for kind, plant := range plants {
		t.Run(kind, func(t *testing.T) {
			s, dir := newStore(t)
			c := mustAcquire(t, s, "k", self())
			require.NoError(t, c.release())
			session := sessionDir(dir, "k")
			target := filepath.Join(t.TempDir(), "target")
			for _, bystander := range []string{target, filepath.Join(session, "inner")} {
				require.NoError(t, os.WriteFile(bystander, []byte("untouched"), 0o600))
			}
			at := filepath.Join(session, name)
			os.Remove(at)
			plant(t, at, target)
			before := tree(t, dir)

			within(t, 20*time.Second, func() { try(t, s, c) })

			require.Equal(t, before, tree(t, dir))
			b, err := os.ReadFile(target)
			require.NoError(t, err)
			require.Equal(t, "untouched", string(b))
			require.NoFileExists(t, target+".absent")
		})
	}
}

// within is a guard against hanging.
func within(t *testing.T, d time.Duration, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); do() }()
	select {
	case <-done:
	case <-time.After(d):
		t.Fatal("it hangs")
	}
}

func TestSomethingElseThanARecordIsUnreadable(t *testing.T) {
	planted(t, "record.json", func(t *testing.T, s lease.Store, c *turn) {
		first, err := s.Load(background, c.digest())
		require.NoError(t, err)
		require.Error(t, first.Fault)
		require.Nil(t, first.Bytes)
		require.False(t, first.Vacant())
		require.False(t, first.Revision.IsZero())
		again, err := s.Load(background, c.digest())
		require.NoError(t, err)
		require.Equal(t, first.Revision, again.Revision)
	})
}

func TestLoadReturnsTheExactBytes(t *testing.T) {
	s, dir := newStore(t)
	c := mustAcquire(t, s, "k", self())
	stored, err := s.Load(background, c.digest())
	require.NoError(t, err)
	require.Equal(t, lease.Stored{Bytes: c.bytes, Revision: c.current.Revision}, stored)

	for what, b := range map[string][]byte{
		"empty": {}, "nul": make([]byte, 300), "half": c.bytes[:len(c.bytes)/2],
		"largest": bytes.Repeat([]byte("x"), ownership.MaxRecordSize),
	} {
		require.NoError(t, os.WriteFile(filepath.Join(sessionDir(dir, "k"), "record.json"), b, 0o600))
		stored, err := s.Load(background, c.digest())
		require.NoError(t, err, what)
		require.NoError(t, stored.Fault, what)
		require.Equal(t, b, stored.Bytes, what)
		require.Equal(t, ownership.RevisionOf(b), stored.Revision, what)
		require.Error(t, stored.Reading(c.digest()).Fault, what)
	}
}

// The revision of what is too large is of all its bytes (I10), which are not held.
func TestAnOversizedRecordIsHashedAndNotHeld(t *testing.T) {
	s, dir := newStore(t)
	c := mustAcquire(t, s, "k", self())
	path := filepath.Join(sessionDir(dir, "k"), "record.json")
	b := bytes.Repeat([]byte("x"), ownership.MaxRecordSize+1)
	require.NoError(t, os.WriteFile(path, b, 0o600))
	stored, err := s.Load(background, c.digest())
	require.NoError(t, err)
	require.Error(t, stored.Fault)
	require.Nil(t, stored.Bytes)
	require.Equal(t, ownership.RevisionOf(b), stored.Revision)

	// Bytes, a hole, bytes, a hole.
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteAt(b, 5<<20+1)
	require.NoError(t, err)
	require.NoError(t, f.Truncate(9<<20+7))
	require.NoError(t, f.Close())
	all, err := os.ReadFile(path)
	require.NoError(t, err)
	stored, err = s.Load(background, c.digest())
	require.NoError(t, err)
	require.Equal(t, ownership.RevisionOf(all), stored.Revision)

	require.NoError(t, os.Truncate(path, 1<<30))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	within(t, 30*time.Second, func() { stored, err = s.Load(background, c.digest()) })
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	require.Error(t, stored.Fault)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20), "allocated over time, not at once")
}

func TestAMissingRecordIsNotAVacantSession(t *testing.T) {
	s, dir := newStore(t)
	c := mustAcquire(t, s, "k", self())
	record := filepath.Join(sessionDir(dir, "k"), "record.json")

	// The first publish died between the link and the rename.
	require.NoError(t, os.Remove(record))
	stored, err := s.Load(background, c.digest())
	require.NoError(t, err)
	require.True(t, stored.Vacant())

	require.NoError(t, os.WriteFile(record, c.bytes, 0o600))
	require.NoError(t, c.release())
	require.NoError(t, os.Remove(record))
	stored, err = s.Load(background, c.digest())
	require.NoError(t, err)
	require.Error(t, stored.Fault)
	require.False(t, stored.Vacant())
	require.False(t, stored.Revision.IsZero())
}

// A file of history that cannot be read is no proof that there never was a record.
func TestAMissingRecordBesideDamagedHistoryIsNotVacant(t *testing.T) {
	s, dir := newStore(t)
	c := mustAcquire(t, s, "k", self())
	rev := filepath.Join(sessionDir(dir, "k"), "rev."+c.current.Revision.String()+".json")
	require.NoError(t, os.Remove(filepath.Join(sessionDir(dir, "k"), "record.json")))
	for _, b := range []string{"", "{}", string(c.bytes[:20])} {
		require.NoError(t, os.WriteFile(rev, []byte(b), 0o600))
		stored, err := s.Load(background, c.digest())
		require.NoError(t, err)
		require.Error(t, stored.Fault)
	}
}

func TestOtherNamesInASessionAreIgnored(t *testing.T) {
	s, dir := newStore(t)
	c := mustAcquire(t, s, "k", self())
	for _, name := range []string{".record.json.tmp", "record.json~", "record.json.bak", "rev.json", "rev.xyz.json", "life.0", "life.01"} {
		require.NoError(t, os.WriteFile(filepath.Join(sessionDir(dir, "k"), name), []byte("{}"), 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(sessionDir(dir, "k"), "stray"), 0o700))
	stored, err := s.Load(background, c.digest())
	require.NoError(t, err)
	require.Equal(t, c.bytes, stored.Bytes)
	require.NoError(t, c.release())
	mustAcquire(t, s, "k", self())
}

func TestListYieldsDigestsOnly(t *testing.T) {
	s, dir := newStore(t)
	want := map[ownership.Digest]bool{}
	for _, name := range []string{"a", "b", "a/b", "../x"} {
		want[mustAcquire(t, s, name, self()).digest()] = true
	}
	for _, name := range []string{"stray", ".tmp", "ABCDEF"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, "sessions", name), 0o700))
	}
	got := map[ownership.Digest]bool{}
	for d, err := range s.List(background) {
		require.NoError(t, err)
		got[d] = true
	}
	require.Equal(t, want, got)
}

// A session's directory that is something else is an error of that session alone.
func TestASessionThatIsNoDirectoryIsRefused(t *testing.T) {
	for kind, plant := range plants {
		if kind == "directory" {
			continue
		}
		t.Run(kind, func(t *testing.T) {
			s, dir := newStore(t)
			mustAcquire(t, s, "other", self())
			target := filepath.Join(t.TempDir(), "target")
			require.NoError(t, os.Mkdir(target, 0o700))
			require.NoError(t, os.Mkdir(filepath.Join(dir, "sessions", "inner"), 0o700))
			plant(t, sessionDir(dir, "k"), target)
			within(t, 20*time.Second, func() {
				_, err := s.Load(background, keyOf("k").Digest())
				require.ErrorIs(t, err, lease.ErrStoreUnavailable)
				_, err = s.Hold(background, keyOf("k").Digest(), 1)
				require.ErrorIs(t, err, lease.ErrStoreUnavailable)
			})
			require.Empty(t, names(t, target))
			_, err := s.Load(background, keyOf("other").Digest())
			require.NoError(t, err)
		})
	}
}
