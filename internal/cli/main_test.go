package cli

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// programs are what the test binary is when it is started under another name. Scripts
// and tests find them on their PATH.
var programs = map[string]func(){
	"session":  func() { os.Exit(Main(os.Args)) },
	"holder":   holder,
	"identity": identity,
}

func TestMain(m *testing.M) { testscript.Main(m, programs) }
