package evidence_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"holdfast/admin/evidence"
	"holdfast/internal/testkit"
)

// What would not fit is refused before anything is written; what does not fit after all is removed.
func TestSpace(t *testing.T) {
	w := newWorld(t)
	small := w.path("small")
	require.NoError(t, os.Mkdir(small, 0o700))
	if err := unix.Mount("tmpfs", small, "tmpfs", 0, "size=1m"); err != nil {
		testkit.Skip(t, "no small file system can be mounted: "+err.Error())
	}
	t.Cleanup(func() { require.NoError(t, unix.Unmount(small, 0)) })
	out := filepath.Join(small, "snapshot")
	_, err := w.take(evidence.Options{Out: out})
	require.ErrorIs(t, err, evidence.ErrSpace)
	requireNext(t, err)
	w.taken(evidence.Options{Out: out, Accept: evidence.AcceptLittleSpace})
	require.NoError(t, os.RemoveAll(out))

	shell(t, w.worktree, `head -c 3000000 /dev/urandom > large`)
	_, err = w.take(evidence.Options{Out: out, Accept: evidence.AcceptLittleSpace})
	require.Error(t, err)
	requireNext(t, err)
	names, err := os.ReadDir(small)
	require.NoError(t, err)
	require.Empty(t, names, "what did not fit was left there")
}
