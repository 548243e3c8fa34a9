package cli

import (
	"crypto/rand"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"holdfast/internal/testkit"
)

var update = flag.Bool("update", false, "write what commands print into the scripts that expect something else")

// scripts is where the scripts are, seen from here.
const scripts = "../../testdata/cli"

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                scripts,
		Setup:              setUp,
		Cmds:               scriptCommands,
		UpdateScripts:      *update,
		RequireUniqueNames: true,
		WorkdirRoot:        workRoot(t),
	})
}

// workRoot makes a directory whose path has the same length in every run, wherever temporary files go: what is printed
// is wrapped, and where depends on the paths in it.
func workRoot(t *testing.T) string {
	t.Helper()
	dir := "/tmp/holdfast-scripts-" + rand.Text()[:7]
	require.NoError(t, os.Mkdir(dir, 0o700))
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return dir
}

// setUp gives each script a home and a state directory of its own.
func setUp(e *testscript.Env) error {
	e.Setenv("HOME", e.WorkDir)
	e.Setenv("XDG_STATE_HOME", filepath.Join(e.WorkDir, "state"))
	e.Setenv("STORE", filepath.Join(e.WorkDir, "state", "holdfast"))
	e.Setenv("HOLDFAST_STORE", "")
	e.Setenv(testkit.RaceVariable, testkit.RaceAtOnce)
	e.Values[holdersKey{}] = holders{}
	return nil
}
