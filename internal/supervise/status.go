package supervise

import (
	"fmt"
	"syscall"
)

// Status is how CMD ended: with a code, or by a signal if that is not 0.
type Status struct {
	Code   int
	Signal syscall.Signal
}

// Unknown is the status of a command whose end was not seen.
var Unknown = Status{Code: -1}

// ExitCode is the status as a shell reports it: the code, or 128 and the signal.
func (s Status) ExitCode() int {
	if s.Signal != 0 {
		return 128 + int(s.Signal)
	}
	return s.Code
}

func (s Status) String() string {
	switch {
	case s.Signal != 0:
		return fmt.Sprintf("signal %d (%v)", int(s.Signal), s.Signal)
	case s == Unknown:
		return "unknown"
	default:
		return fmt.Sprintf("status %d", s.Code)
	}
}

func statusOf(ws syscall.WaitStatus) Status {
	if ws.Signaled() {
		return Status{Signal: ws.Signal()}
	}
	return Status{Code: ws.ExitStatus()}
}
