package cli

import (
	"os"
	"runtime/debug"
)

// manyGrowth is how much may be allocated between two collections, in percent of what is
// in use, by a command that goes over many sessions: each of them leaves some 50 KB, and
// little of it is in use at once.
const manyGrowth = 400

// forMany prepares the process for a command that changes many sessions, unless somebody
// has chosen otherwise.
func forMany() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(manyGrowth)
	}
}
