package gitwork

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a killed count left goes with the next one; what another one uses, and what only looks alike, stays.
func TestLeftoverScratchIsSwept(t *testing.T) {
	parent := t.TempDir()
	left := filepath.Join(parent, countPrefix+"1")
	require.NoError(t, os.MkdirAll(filepath.Join(left, "shadow"), 0o700))
	file, link := filepath.Join(parent, countPrefix+"2"), filepath.Join(parent, countPrefix+"3")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	elsewhere := t.TempDir()
	require.NoError(t, os.Symlink(elsewhere, link))
	used, err := newScratch(parent, countPrefix)
	require.NoError(t, err)
	require.NoDirExists(t, left)

	other, err := newScratch(parent, countPrefix)
	require.NoError(t, err)
	require.DirExists(t, used.dir)
	require.FileExists(t, file)
	require.DirExists(t, elsewhere)
	require.NoError(t, other.remove())
	require.NoError(t, used.remove())
	require.NoDirExists(t, used.dir)
}
