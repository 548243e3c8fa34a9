package cli

import (
	"os"
	"runtime"
	"runtime/debug"
)

// manyGrowth is how much may be allocated between two collections, in percent of what is
// in use, by a command that goes over many sessions: each of them leaves some 50 KB, and
// little of it is in use at once.
const manyGrowth = 400

// forMany prepares the process for a command that changes many sessions, unless somebody
// has chosen otherwise. Those that wait for the disk keep their turn on a processor for as
// long as the runtime does not notice: with more turns than processors, others go on.
func forMany() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(manyGrowth)
	}
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(2 * runtime.GOMAXPROCS(0))
	}
}
