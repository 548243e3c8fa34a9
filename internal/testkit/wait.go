package testkit

import (
	"flag"
	"strconv"
)

// WaitTogether lets n tests that call t.Parallel run at once, for a package whose tests wait more than they work.
// It is called by TestMain before the tests run. A -parallel on the command line counts more.
func WaitTogether(n int) {
	if err := flag.Set("test.parallel", strconv.Itoa(n)); err != nil {
		panic(err) // it is no test binary
	}
}
