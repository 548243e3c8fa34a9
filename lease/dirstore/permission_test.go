package dirstore_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/testkit"
	"holdfast/lease"
	"holdfast/lease/dirstore"
)

// denied runs a first user as nobody and returns what it was told.
func denied(t *testing.T, dir string) string {
	t.Helper()
	o := start(t, "use", asNobody, dir, "k")
	require.NoError(t, o.stdin.Close())
	require.Error(t, o.Wait())
	said := o.stderr.String()
	require.Contains(t, said, lease.ErrPermission.Error())
	require.NotContains(t, said, "rm ")
	require.NotContains(t, said, "delete")
	return said
}

// A store made under sudo says to its user whose it is.
func TestAStoreOfAnotherUserIsRefused(t *testing.T) {
	home := forNobody(t)
	for _, mode := range []os.FileMode{0o700, 0o755} {
		dir := filepath.Join(home, "store")
		c := mustAcquire(t, openStore(t, dir), "k", self())
		require.NoError(t, c.release())
		require.NoError(t, os.Chmod(dir, mode))
		before := tree(t, dir)
		said := denied(t, dir)
		require.Contains(t, said, "root")
		require.Contains(t, said, dir)
		require.Equal(t, before, tree(t, dir))
		require.NoError(t, os.RemoveAll(dir))
	}
}

// Root itself does not work in another user's store.
func TestRootIsRefusedInAStoreOfAnotherUser(t *testing.T) {
	dir := filepath.Join(forNobody(t), "store")
	o := start(t, "use", asNobody, dir, "k")
	o.end(t)
	_, err := openStore(t, dir).Load(background, keyOf("k").Digest())
	require.ErrorIs(t, err, lease.ErrPermission)
	require.ErrorContains(t, err, "65534")
}

// One file of another user in a store of ours is named.
func TestAFileOfAnotherUserIsNamed(t *testing.T) {
	for _, name := range []string{"record.json", "life.2", "."} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(forNobody(t), "store")
			o := start(t, "use", asNobody, dir, "k")
			o.end(t)
			at := filepath.Join(sessionDir(dir, "k"), name)
			if name == "life.2" {
				require.NoError(t, os.WriteFile(at, nil, 0o600))
			}
			require.NoError(t, os.Chown(at, 0, 0))
			said := denied(t, dir)
			require.Contains(t, said, "root")
			require.Contains(t, said, filepath.Clean(at))
		})
	}
}

func TestAStoreThatOthersMayWriteToIsRefused(t *testing.T) {
	s, dir := newStore(t)
	c := mustAcquire(t, s, "k", self())
	require.NoError(t, c.release())
	for _, mode := range []os.FileMode{0o770, 0o702} {
		require.NoError(t, os.Chmod(dir, mode))
		_, err := s.Load(background, c.digest())
		var refused *lease.StoreError
		require.ErrorAs(t, err, &refused)
		require.ErrorIs(t, err, lease.ErrPermission)
		require.Equal(t, dir, refused.Path)
		require.NotEmpty(t, refused.Advice)
	}
}

// Our own directory without write permission is denied, and stays as it is.
func TestAStoreWithoutWritePermission(t *testing.T) {
	t.Parallel() // it mostly waits
	home := forNobody(t)
	dir := filepath.Join(home, "store")
	o := start(t, "use", asNobody, dir, "other")
	o.end(t)
	sessions := filepath.Join(dir, "sessions")
	require.NoError(t, os.Chmod(sessions, 0o500))
	said := denied(t, dir)
	require.Contains(t, said, sessions)
	require.Contains(t, said, "chmod")
}

// What another first user is just making shuts us out for a moment only.
func TestAFileThatIsBeingMadeIsWaitedFor(t *testing.T) {
	t.Parallel() // it mostly waits
	for _, name := range []string{".", "sessions", "quarantine"} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(forNobody(t), "store")
			start(t, "use", asNobody, dir, "other").end(t)
			require.NoError(t, os.Remove(filepath.Join(dir, "holdfast.store")))
			at := filepath.Join(dir, name)
			require.NoError(t, os.Chmod(at, 0))
			o := start(t, "use", asNobody, dir, "k")
			time.Sleep(200 * time.Millisecond) // long enough to meet it shut, as a rule
			require.NoError(t, os.Chmod(at, 0o700))
			o.end(t)
		})
	}
}

// mount mounts something for the duration of a test.
func mount(t *testing.T, at string, args ...string) {
	t.Helper()
	requireRoot(t)
	if out, err := exec.Command("mount", append(args, at)...).CombinedOutput(); err != nil {
		testkit.Skip(t, "cannot mount: "+string(out))
	}
	t.Cleanup(func() { require.NoError(t, exec.Command("umount", "-l", at).Run()) })
}

// A read-only file system is read as ever; acquiring is an I/O error, not a refusal.
func TestAReadOnlyFileSystem(t *testing.T) {
	s, dir := newStore(t)
	c := mustAcquire(t, s, "k", self())
	b := c.bytes
	mount(t, dir, "--bind", dir)
	require.NoError(t, exec.Command("mount", "-o", "remount,bind,ro", dir).Run())

	stored, err := s.Load(background, c.digest())
	require.NoError(t, err)
	require.Equal(t, b, stored.Bytes)
	live := probed(t, s, *c.current.Record)
	require.Equal(t, "alive", string(live.Verdict))
	_, err = s.Hold(background, keyOf("new").Digest(), 1)
	require.Error(t, err)
	for _, kind := range []error{lease.ErrPermission, lease.ErrStoreUnavailable, lease.ErrHeld} {
		require.NotErrorIs(t, err, kind)
	}
	h, err := s.Health(background)
	require.NoError(t, err)
	require.True(t, h.FileSystem.ReadOnly)
	require.Equal(t, dirstore.LocksUntested, h.Locks)
}

// A bind mount is another name of one store, and excludes all the same.
func TestABindMountExcludes(t *testing.T) {
	s, dir := newStore(t)
	mustAcquire(t, s, "k", self())
	at := t.TempDir()
	mount(t, at, "--bind", dir)
	_, err := openStore(t, at).Hold(background, keyOf("k").Digest(), 1)
	require.ErrorIs(t, err, lease.ErrHeld)
}

// A full file system is a definite failure without leftovers, and works again with
// space.
func TestAFullFileSystem(t *testing.T) {
	at := t.TempDir()
	mount(t, at, "-t", "tmpfs", "-o", "size=64k,mode=0700", "tmpfs")
	s := openStore(t, filepath.Join(at, "store"))
	c := mustAcquire(t, s, "k", self())
	fill(t, filepath.Join(at, "fill"))
	before := tree(t, filepath.Join(at, "store"))

	err := c.release()
	require.Error(t, err)
	require.NotErrorIs(t, err, lease.ErrOutcomeUnknown)
	require.NotErrorIs(t, err, lease.ErrConflict)
	require.Equal(t, before, tree(t, filepath.Join(at, "store")))
	_, err = acquire(s, "new", self())
	require.Error(t, err)
	stored, err := s.Load(background, keyOf("new").Digest())
	require.NoError(t, err)
	require.True(t, stored.Vacant())

	require.NoError(t, os.Remove(filepath.Join(at, "fill")))
	require.NoError(t, c.release())
}

func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	require.NoError(t, err)
	defer f.Close()
	for _, size := range []int{4096, 1} {
		for err == nil {
			_, err = f.WriteString(strings.Repeat("x", size))
		}
		err = nil
	}
}

func TestAFileSystemThatIsNotKnownToBeLocalIsReadButNotWritten(t *testing.T) {
	t.Parallel() // it mostly waits
	at := t.TempDir()
	mount(t, at, "-t", "sysfs", "sysfs")
	s := openStore(t, filepath.Join(at, "store"))
	_, err := s.Hold(background, keyOf("k").Digest(), 1)
	require.ErrorIs(t, err, lease.ErrStoreUnavailable)
	require.ErrorContains(t, err, "is not known to be local")
	stored, err := s.Load(background, keyOf("k").Digest())
	require.NoError(t, err)
	require.True(t, stored.Vacant())
	allowed, err := dirstore.Open(filepath.Join(at, "store"), dirstore.Options{AllowNetworkFS: true})
	require.NoError(t, err)
	_, err = allowed.Hold(background, keyOf("k").Digest(), 1)
	require.Error(t, err, "sysfs cannot hold a store, but is not refused for its name")
	require.NotContains(t, err.Error(), "is not known to be local")
}
