package sqlitecopy

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"holdfast/internal/testkit"
)

func TestTakeOntoAFullFileSystem(t *testing.T) {
	path := place(t)
	build(t, path, bank()...)
	need, err := Size(path)
	require.NoError(t, err)
	for _, part := range []int64{1, 3, 5} { // of six: fails at the raw copy, the private one, VACUUM
		out := t.TempDir()
		if err := unix.Mount("tmpfs", out, "tmpfs", 0, fmt.Sprintf("size=%d", need*part/6)); err != nil {
			testkit.Skip(t, "cannot mount a small file system: "+err.Error())
		}
		_, err := Take(context.Background(), path, out, Options{})
		require.NoError(t, unix.Unmount(out, 0))
		require.ErrorIs(t, err, ErrTarget)
		var e *Error
		require.ErrorAs(t, err, &e)
		require.Contains(t, e.Next, "free space")
	}
}
