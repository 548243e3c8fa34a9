package beside_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/beside"
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
