package plainfile_test

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"holdfast/internal/plainfile"
)

func TestPlainFileIsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, []byte("x"), 0o600))
	f, err := plainfile.Open(path)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

func TestNothingElseIsOpened(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.WriteFile(at("file"), nil, 0o600))
	require.NoError(t, os.Symlink("file", at("link")))
	require.NoError(t, os.Symlink("nowhere", at("dangling link")))
	require.NoError(t, unix.Mkfifo(at("pipe"), 0o600))
	t.Chdir(dir) // the names of sockets must be short
	l, err := net.Listen("unix", "socket")
	require.NoError(t, err)
	defer l.Close()
	for path, want := range map[string]string{
		dir: "a directory", at("link"): "a symbolic link", at("dangling link"): "a symbolic link",
		at("pipe"): "a named pipe", at("socket"): "a socket", os.DevNull: "a device",
	} {
		_, err := plainfile.Open(path)
		require.ErrorContains(t, err, want, path)
	}
	_, err = plainfile.Open(at("absent"))
	require.ErrorIs(t, err, os.ErrNotExist)
}
