package dirstore_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"holdfast/internal/durable"
	"holdfast/internal/testkit"
	"holdfast/lease"
	"holdfast/lease/dirstore"
)

// xfs mounts a file system of its own, which is unmounted at the end of the test.
func xfs(t *testing.T) (at string) {
	t.Helper()
	requireRoot(t)
	for _, tool := range []string{"mkfs.xfs", "mount", "umount"} {
		if _, err := exec.LookPath(tool); err != nil {
			testkit.Skip(t, "there is no "+tool)
		}
	}
	image, at := filepath.Join(t.TempDir(), "image"), filepath.Join(resolved(t, t.TempDir()), "mounted")
	f, err := os.Create(image)
	require.NoError(t, err)
	require.NoError(t, f.Truncate(300<<20))
	require.NoError(t, f.Close())
	require.NoError(t, os.Mkdir(at, 0o700))
	out, err := exec.Command("mkfs.xfs", "-q", image).CombinedOutput()
	require.NoError(t, err, "%s", out)
	if out, err := exec.Command("mount", "-o", "loop", image, at).CombinedOutput(); err != nil {
		testkit.Skip(t, "no XFS can be mounted here: "+string(out))
	}
	t.Cleanup(func() {
		out, err := exec.Command("umount", at).CombinedOutput()
		require.NoError(t, err, "%s", out)
	})
	return at
}

// shutDown has a file system give up at once, without what is in its journal.
func shutDown(t *testing.T, at string) {
	const goingDown, withoutLogFlush = 0x8004587d, 2 // XFS_IOC_GOINGDOWN of xfs_fs.h, and its flag
	f, err := os.Open(at)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetPointerInt(int(f.Fd()), goingDown, withoutLogFlush))
	require.NoError(t, f.Close())
}

// XFS answers the sync of a directory as done when it has shut down between the rename and
// the sync, and dropped the rename (I9).
func TestASyncOfAFileSystemThatGaveUpIsNotBelieved(t *testing.T) {
	at := xfs(t)
	dying := false
	s, err := dirstore.Open(filepath.Join(at, "store"), dirstore.Options{Calls: func(c durable.Call, apply func() error) error {
		if dying && c.Op == "sync" {
			shutDown(t, at)
		}
		return apply()
	}})
	require.NoError(t, err)
	c, err := acquire(s, "k", self())
	require.NoError(t, err)
	require.NoError(t, c.release())

	dying = true
	c, err = acquire(s, "k", self())
	require.NotNil(t, c)
	_ = c.hold.Drop() // or the file system could not be unmounted
	require.ErrorIs(t, err, lease.ErrOutcomeUnknown)
}
