package plan

import (
	"syscall"
	"time"
)

// DefaultGrace is how long a process gets to end after each signal.
const DefaultGrace = 10 * time.Second

// course is how a worker is stopped.
var course = []struct {
	name   string
	signal syscall.Signal
}{{"INT", syscall.SIGINT}, {"TERM", syscall.SIGTERM}, {"KILL", syscall.SIGKILL}}
