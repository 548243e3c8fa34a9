//go:build !linux

package etcdstore

import "time"

// sinceBoot is a clock that nobody sets. It may stand still while the machine sleeps.
func sinceBoot() time.Duration { return time.Since(start) }
