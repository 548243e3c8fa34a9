package crashdisk_test

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/durable"
	"holdfast/internal/durable/crashdisk"
)

func write(t *testing.T, dir durable.Dir, name string) durable.File {
	t.Helper()
	f, err := dir.Create(name)
	require.NoError(t, err)
	_, err = f.Write([]byte("bytes"))
	require.NoError(t, err)
	return f
}

func lose(int) bool { return false }
func keep(int) bool { return true }

// Bytes and names are forgotten separately, which is what finds out code that renames
// before it syncs.
func TestWhatWasNotSyncedIsForgotten(t *testing.T) {
	disk := crashdisk.New()
	f := write(t, disk.Root(), "x")
	_, err := disk.PowerFailure(lose).Read("x")
	require.ErrorIs(t, err, fs.ErrNotExist)
	b, err := disk.PowerFailure(keep).Read("x")
	require.NoError(t, err)
	require.Empty(t, b, "its name reached the medium, its bytes did not")

	require.NoError(t, f.Sync())
	_, err = disk.PowerFailure(lose).Read("x")
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoError(t, disk.Root().Sync())
	b, err = disk.PowerFailure(lose).Read("x")
	require.NoError(t, err)
	require.Equal(t, "bytes", string(b))
}

func TestARenameIsOneChange(t *testing.T) {
	disk := crashdisk.New()
	require.NoError(t, write(t, disk.Root(), "a").Sync())
	require.NoError(t, disk.Root().Sync())
	require.NoError(t, disk.Root().Rename("a", "b"))
	require.Equal(t, 1, disk.Pending())
	require.Equal(t, []string{"a"}, disk.PowerFailure(lose).Tree())
	require.Equal(t, []string{"b"}, disk.PowerFailure(keep).Tree())
}

// As rename(2) does it.
func TestARenameOfTwoNamesOfOneFileLeavesBoth(t *testing.T) {
	disk := crashdisk.New()
	write(t, disk.Root(), "a")
	require.NoError(t, disk.Root().Link("a", "b"))
	require.NoError(t, disk.Root().Rename("a", "b"))
	require.Equal(t, []string{"a", "b"}, disk.Tree())
}
