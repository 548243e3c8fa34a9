package etcdstore

import "time"

// start is where the clock of the process counts from.
var start = time.Now()
