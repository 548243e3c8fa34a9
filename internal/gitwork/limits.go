package gitwork

import "time"

// limits are how long one git may take before it counts as waiting for what never comes, like a network file system that
// is gone or a FIFO that appeared meanwhile. Work of that length is none that a person waits for. A variable for tests.
var limits = struct{ Count, Capture time.Duration }{10 * time.Minute, 2 * time.Hour}
