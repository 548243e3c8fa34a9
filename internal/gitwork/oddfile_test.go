package gitwork_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"holdfast/internal/gitwork"
)

// A time for which nanoseconds have no room keeps nobody from the work beside it, and a file of holes takes no more
// room than it did.
func TestFarTimesAndHoles(t *testing.T) {
	git := needGit(t)
	t.Parallel()
	top, out, into := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "new")
	const size = 8 << 20
	shell(t, top, `git init -q . && printf x > far && printf begin > image && truncate -s "$1" image && printf begin > empty-end && truncate -s 100000 empty-end`, fmt.Sprint(size))
	far := unix.NsecToTimespec(0)
	far.Sec += 13_569_465_600 // the year 2400, which os.Chtimes cannot set
	require.NoError(t, unix.UtimesNanoAt(unix.AT_FDCWD, filepath.Join(top, "far"), []unix.Timespec{far, far}, 0))
	captured, err := gitwork.Capture(t.Context(), git, top, out, gitwork.CaptureOptions{})
	require.NoError(t, err)
	require.Empty(t, captured.Moved)

	_, err = gitwork.Restore(t.Context(), git, out, into, gitwork.RestoreOptions{}) // compares sizes, hashes and times
	require.NoError(t, err)
	if statOf(t, filepath.Join(top, "image")).Blocks*512 < size/2 { // this file system has holes
		require.Less(t, statOf(t, filepath.Join(into, "image")).Blocks*512, int64(size/2))
	}
	if got := statOf(t, filepath.Join(top, "far")); time.Unix(int64(got.Mtim.Sec), 0).UTC().Year() == 2400 { // and such times
		require.Contains(t, fmt.Sprint(captured.OutOfScope), "times before 1678 or after 2262")
	}
}

// What a killed restore left goes with the next one beside it.
func TestLeftoverOfRestoreIsSwept(t *testing.T) {
	git := needGit(t)
	t.Parallel()
	dir, parent := captured(t, git, "normal"), t.TempDir()
	left := filepath.Join(parent, ".restoring-1")
	require.NoError(t, os.MkdirAll(filepath.Join(left, "sub"), 0o700))
	_, err := gitwork.Restore(t.Context(), git, dir, filepath.Join(parent, "new"), gitwork.RestoreOptions{})
	require.NoError(t, err)
	require.NoDirExists(t, left)
	require.DirExists(t, filepath.Join(parent, "new"))
}

func statOf(t testing.TB, path string) (st unix.Stat_t) {
	t.Helper()
	require.NoError(t, unix.Lstat(path, &st))
	return st
}
