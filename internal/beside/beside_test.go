package beside_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/beside"
	"holdfast/internal/testkit"
)

func TestPath(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	path, err := beside.Path("session-x")
	require.NoError(t, err)
	require.Equal(t, filepath.Join(filepath.Dir(self), "session-x"), path)
	_, err = beside.Path(filepath.Base(self))
	require.Error(t, err, "it would start itself")
}

// Where others may create files beside the command, theirs are not started.
func TestWhatSomebodyElsePutThereIsRefused(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	path := filepath.Join(filepath.Dir(self), "session-of-others")
	require.NoError(t, os.WriteFile(path, nil, 0o755))
	t.Cleanup(func() { require.NoError(t, os.Remove(path)) })
	_, err = beside.Path("session-of-others")
	require.NoError(t, err)

	require.NoError(t, os.Chmod(path, 0o757))
	_, err = beside.Path("session-of-others")
	require.ErrorContains(t, err, "anybody")

	if os.Geteuid() != 0 {
		testkit.Skip(t, "only root can give a file away")
	}
	require.NoError(t, os.Chmod(path, 0o755))
	require.NoError(t, os.Chown(path, 65534, 65534))
	_, err = beside.Path("session-of-others")
	require.ErrorContains(t, err, "65534")

	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Symlink(self, path))
	_, err = beside.Path("session-of-others")
	require.NoError(t, err)
	require.NoError(t, os.Lchown(path, 65534, 65534))
	_, err = beside.Path("session-of-others")
	require.ErrorContains(t, err, "65534")
}

// What is typed puts the program where it is looked for, and is told to keep what is there.
func TestBuild(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "session-x")
	require.Equal(t, "run `go build -o "+path+" ./cmd/session-x` in the source of this command", beside.Build("session-x", path))
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"), 0o700))
	require.Contains(t, beside.Build("session-x", path), "move "+path+" away and run `go build -o ")
	require.Contains(t, beside.Build("session-x", "/it's/$HOME/x"), `go build -o '/it'\''s/$HOME/x' ./cmd`)
}
