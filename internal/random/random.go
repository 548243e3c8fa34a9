// Package random gets random bytes from the kernel, for names that must not meet: of
// operations, stores, archives and temporary files.
//
// On Linux it asks by itself and not through crypto/rand, which a program pays for at every
// start: its packages test themselves before main, and its first use starts a timer, for
// which the runtime makes a poller and wakes a thread to wait there.
package random

import "fmt"

// Read fills b. It never fails: it panics where the system has no random bytes.
func Read(b []byte) {
	if err := read(b); err != nil {
		panic(fmt.Errorf("no random bytes: %w", err))
	}
}
