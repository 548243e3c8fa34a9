package cli

import (
	"os"
	"runtime"
	"runtime/debug"
)

// How much may be allocated between two collections, in percent of what is in use: each
// session leaves some 50 KB. A batch has little of it in use at once, and a pass keeps
// something of every session.
const (
	batchGrowth = 400
	passGrowth  = 200
)

// forMany prepares the process for a command that changes many sessions, unless somebody
// has chosen otherwise. Those that wait for the disk keep their turn on a processor for as
// long as the runtime does not notice: with more turns than processors, others go on.
func forMany(growth int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(growth)
	}
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(2 * runtime.GOMAXPROCS(0))
	}
}
