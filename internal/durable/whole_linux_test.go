package durable

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"holdfast/internal/testkit"
)

// A kernel that does not tell every error is not asked; neither is one whose release
// cannot be read.
func TestWhichKernelsTellEveryError(t *testing.T) {
	for release, want := range map[string]bool{
		"5.17.0": true, "5.17-rc1": true, "6.1.0-18-amd64": true, "10.0": true,
		"5.16.20": false, "5.4.0-1103-aws": false, "4.18.0-553.el8_10.x86_64": false, "3.10": false, "": false, "unknown": false,
	} {
		require.Equal(t, want, tellsEveryError(release), release)
	}
}

func TestDirectoriesOfAnotherFileSystemShareNothing(t *testing.T) {
	here := t.TempDir()
	r := OpenRounds(here)
	if r == nil {
		testkit.Skip(t, "no file system here is known to sync as a whole")
	}
	t.Cleanup(func() { require.NoError(t, r.Close()) })
	mine := dirOf(t, here)
	require.IsType(t, &sharingDir{}, r.Dir(mine))
	require.Equal(t, Descriptor(mine), Descriptor(r.Dir(mine)))

	other := dirOf(t, "/proc")
	require.Same(t, other, r.Dir(other))
}

func dirOf(t *testing.T, path string) Dir {
	fd, err := OpenDirAt(unix.AT_FDCWD, path)
	require.NoError(t, err)
	d := DirAt(fd, path)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

// Of a file system in memory, or of none at all, nothing is known.
func TestUnknownFileSystemsHaveNoRounds(t *testing.T) {
	require.Nil(t, OpenRounds("/proc"))
	require.Nil(t, OpenRounds(t.TempDir()+"/missing"))
	if _, err := os.Stat("/dev/shm"); err == nil {
		require.Nil(t, OpenRounds("/dev/shm"))
	}
}
