package sqlitecopy

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/testkit"
)

func TestTakeOfWhatMayNotBeRead(t *testing.T) {
	if os.Getuid() != 0 {
		testkit.Skip(t, "only root can become somebody else")
	}
	twin := readableTwin(t)
	for _, s := range []side{db, wal, shm} {
		path := filepath.Join(openToAll(t), "tracker.db")
		build(t, path, bank("PRAGMA journal_mode=wal")...)
		crash(t, path, spilled)
		for _, other := range []side{db, wal, shm} {
			require.NoError(t, os.Chmod(other.of(path), 0o644))
		}
		require.NoError(t, os.Chmod(s.of(path), 0o600))
		said := asNobody(t, twin, path).Error
		require.Contains(t, said, ErrUnreadable.Error())
		require.NotContains(t, said, ErrBusy.Error(), "it tried again what cannot succeed")
	}
}

// Another user's files can be read, but not without moving their time of access.
func TestTakeOfAnotherUsersDatabase(t *testing.T) {
	if os.Getuid() != 0 {
		testkit.Skip(t, "only root can become somebody else")
	}
	path := filepath.Join(openToAll(t), "tracker.db")
	build(t, path, bank("PRAGMA journal_mode=wal")...)
	crash(t, path, spilled)
	for _, s := range []side{db, wal, shm} {
		require.NoError(t, os.Chmod(s.of(path), 0o644))
	}
	before := scene(t, path)
	require.Empty(t, asNobody(t, readableTwin(t), path).Error)
	require.Equal(t, before, scene(t, path))
}

func openToAll(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "sqlitecopy")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o777))
	return dir
}

func asNobody(t *testing.T, twin, path string) (o outcome) {
	t.Helper()
	c := program("take", path, openToAll(t))
	c.Path = twin
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	b, err := c.Output()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, &o))
	return o
}

// readableTwin is this binary where everybody can execute it.
func readableTwin(t *testing.T) string {
	t.Helper()
	twin := filepath.Join(openToAll(t), "test")
	require.NoError(t, exec.Command("cp", os.Args[0], twin).Run())
	require.NoError(t, os.Chmod(twin, 0o755))
	return twin
}
