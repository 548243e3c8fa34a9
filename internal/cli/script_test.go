package cli

import (
	"flag"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

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
	})
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
