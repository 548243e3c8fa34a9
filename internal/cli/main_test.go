package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"holdfast/internal/testkit"
)

// programs are what the test binary is when it is started under another name. Scripts
// and tests find them on their PATH.
var programs = map[string]func(){
	"session":  func() { os.Exit(Main(os.Args)) },
	"holder":   holder,
	"identity": identity,
}

func TestMain(m *testing.M) {
	if _, is := programs[filepath.Base(os.Args[0])]; !is {
		testkit.PrepareChildren()
		testkit.WaitTogether(6)
	}
	testscript.Main(m, programs)
}
