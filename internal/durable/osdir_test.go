package durable_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/durable"
)

// realDir opens a fresh directory of the operating system.
func realDir(t *testing.T) (durable.Dir, string) {
	path := t.TempDir()
	root, err := os.OpenRoot(path)
	require.NoError(t, err)
	t.Cleanup(func() { root.Close() })
	dir, err := durable.NewDir(root)
	require.NoError(t, err)
	t.Cleanup(func() { dir.Close() })
	return dir, path
}

func publication(b string) durable.Publication {
	return durable.Publication{
		Next: "next", Past: pastName(b), Record: "record", Bytes: []byte(b),
		Check: func() (func() error, error) { return nil, nil },
	}
}

func TestPublishOnARealDisk(t *testing.T) {
	dir, path := realDir(t)
	var got []string
	for _, b := range []string{oldBytes, newBytes, newBytes} {
		got = nil
		id, err := durable.Publish(context.Background(), durable.Intercept(dir, trace(&got)), publication(b))
		require.NoError(t, err)
		e, err := dir.Lstat("record")
		require.NoError(t, err)
		require.Equal(t, id, e.ID)
		require.Equal(t, durable.FileMode, e.Mode)
		read, err := os.ReadFile(filepath.Join(path, "record"))
		require.NoError(t, err)
		require.Equal(t, b, string(read))
	}
	names, err := dir.Names()
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"record", "past.old", "past.new"}, names)
	require.Equal(t, []string{
		"create next", "write next", "fstat next", "fsync next", "close next",
		"lock .", "link past.new", "rename past.new", "link next", "rename record", "unlock .", "sync .",
	}, got, "the last one is published for the second time")
}

// Whatever was planted under the temporary name is replaced and never written to.
func TestNextIsNeverFollowed(t *testing.T) {
	plant := map[string]func(*testing.T, string){
		"link":          func(t *testing.T, at string) { require.NoError(t, os.Symlink("target", at)) },
		"dangling link": func(t *testing.T, at string) { require.NoError(t, os.Symlink("nowhere", at)) },
		"fifo":          func(t *testing.T, at string) { require.NoError(t, syscall.Mkfifo(at, 0o600)) },
		"directory":     func(t *testing.T, at string) { require.NoError(t, os.Mkdir(at, 0o700)) },
		"socket":        func(t *testing.T, at string) { require.NoError(t, syscall.Mknod(at, syscall.S_IFSOCK|0o600, 0)) },
	}
	for name, put := range plant {
		t.Run(name, func(t *testing.T) {
			dir, path := realDir(t)
			require.NoError(t, os.WriteFile(filepath.Join(path, "target"), []byte("untouched"), 0o600))
			put(t, filepath.Join(path, "next"))
			_, err := durable.Publish(context.Background(), dir, publication(newBytes))
			require.NoError(t, err)
			b, err := os.ReadFile(filepath.Join(path, "target"))
			require.NoError(t, err)
			require.Equal(t, "untouched", string(b))
			require.NoFileExists(t, filepath.Join(path, "nowhere"))
			e, err := dir.Lstat("record")
			require.NoError(t, err)
			require.True(t, e.Mode.IsRegular())
		})
	}
}

// A directory in the record's place is a definite failure without leftovers.
func TestAnUnreplaceableRecordLeavesNoLeftovers(t *testing.T) {
	dir, _ := realDir(t)
	require.NoError(t, dir.Mkdir("record"))
	_, err := durable.Publish(context.Background(), dir, publication(newBytes))
	require.Error(t, err)
	require.NotErrorIs(t, err, durable.ErrUnknown)
	names, err := dir.Names()
	require.NoError(t, err)
	require.Equal(t, []string{"record"}, names)
}

func TestOpenRootRefusesWhatIsNoDirectory(t *testing.T) {
	_, path := realDir(t)
	require.NoError(t, os.Mkdir(filepath.Join(path, "real"), 0o700))
	require.NoError(t, os.Symlink("real", filepath.Join(path, "link")))
	require.NoError(t, syscall.Mkfifo(filepath.Join(path, "fifo"), 0o600))
	root, err := os.OpenRoot(path)
	require.NoError(t, err)
	defer root.Close()
	for _, name := range []string{"link", "fifo"} {
		_, err := durable.OpenRoot(root, name)
		require.ErrorIs(t, err, syscall.ENOTDIR, name)
	}
	_, err = durable.OpenRoot(root, "absent")
	require.ErrorIs(t, err, fs.ErrNotExist)
	real, err := durable.OpenRoot(root, "real")
	require.NoError(t, err)
	require.NoError(t, real.Close())
}

func TestExchangeSwapsAFileAndADirectory(t *testing.T) {
	dir, path := realDir(t)
	require.NoError(t, dir.Mkdir("a"))
	require.NoError(t, dir.Mkdir("b"))
	require.NoError(t, dir.Mkdir("a/x"))
	require.NoError(t, os.WriteFile(filepath.Join(path, "b", "y"), []byte("file"), 0o600))
	require.NoError(t, dir.Exchange("a/x", "b/y"))
	e, err := dir.Lstat("b/y")
	require.NoError(t, err)
	require.True(t, e.Mode.IsDir())
	b, err := os.ReadFile(filepath.Join(path, "a", "x"))
	require.NoError(t, err)
	require.Equal(t, "file", string(b))
}

func TestALockExcludesAnotherDescriptor(t *testing.T) {
	dir, path := realDir(t)
	root, err := os.OpenRoot(path)
	require.NoError(t, err)
	defer root.Close()
	other, err := durable.NewDir(root)
	require.NoError(t, err)
	defer other.Close()
	for range 3 {
		ok, err := dir.TryLock()
		require.NoError(t, err)
		require.True(t, ok)
		ok, err = other.TryLock()
		require.NoError(t, err)
		require.False(t, ok)
		require.NoError(t, dir.Unlock())
		ok, err = other.TryLock()
		require.NoError(t, err)
		require.True(t, ok)
		require.NoError(t, other.Unlock())
	}
}
