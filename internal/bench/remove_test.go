package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRemove(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "place")
	for n := range 3 * removers {
		sub := filepath.Join(dir, "store", "sessions", fmt.Sprint(n))
		require.NoError(t, os.MkdirAll(sub, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(sub, "record.json"), nil, 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "store", "holdfast.store"), nil, 0o600))
	require.NoError(t, remove(dir))
	require.NoDirExists(t, dir)
	require.NoError(t, remove(dir), "nothing is there any more")
}
