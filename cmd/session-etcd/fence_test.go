package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whoever was displaced is refused by what he writes to.
func TestFencedAppend(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "")
	script, err := filepath.Abs("../../examples/fenced-append")
	require.NoError(t, err)
	notes := filepath.Join(t.TempDir(), "notes.txt")
	for _, word := range []string{"first", "second"} {
		p.exits(t, 0, "session", "run", "--no-worktree", "K", "--", "sh", "-c", `echo "$1" | "$2" "$3"`, "sh", word, script, notes)
	}
	late := place{env: append(p.env, "SESSION_GENERATION=1")}
	require.Contains(t, late.exits(t, 1, "sh", "-c", `echo late | "$1" "$2"`, "sh", script, notes), "generation 1 is over, generation 2 has written")
	b, err := os.ReadFile(notes)
	require.NoError(t, err)
	require.Equal(t, "first\nsecond\n", string(b))
}
