package testkit

import (
	"os"
	"os/signal"
	"syscall"
)

// RaceVariable and its value end a process under the race detector at once, instead of a second later.
const (
	RaceVariable = "GORACE"
	RaceAtOnce   = "atexit_sleep_ms=0"
)

// PrepareChildren sees to what the processes that tests start inherit from this one. HUP and INT end them, also where
// this process was started with them ignored, as nohup and a shell's background do: a handler is reset in a child,
// and what is ignored is inherited. The race detector does not hold each of them up.
func PrepareChildren() {
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGINT} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
	os.Setenv(RaceVariable, RaceAtOnce)
}
