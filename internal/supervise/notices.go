package supervise

import (
	"fmt"
	"time"
)

// flushTime is how long the end of a run waits for a reader of its notices.
const flushTime = time.Second

// notices prints lines for people without ever holding up who has them printed:
// stderr may be a pipe that nobody reads.
type notices struct {
	lines chan string
	done  chan struct{}
}

func newNotices(print func(format string, args ...any)) *notices {
	n := &notices{lines: make(chan string, 16), done: make(chan struct{})}
	go func() {
		defer close(n.done)
		for line := range n.lines {
			if print != nil {
				print("%s", line)
			}
		}
	}()
	return n
}

// say drops the line when too many wait to be printed.
func (n *notices) say(format string, args ...any) {
	select {
	case n.lines <- fmt.Sprintf(format, args...):
	default:
	}
}

func (n *notices) close() {
	close(n.lines)
	select {
	case <-n.done:
	case <-time.After(flushTime):
	}
}
