package supervise

import (
	"fmt"
	"sync"
	"time"
)

// flushTime is how long the end of a run waits for a reader of its notices.
const flushTime = time.Second

// notices prints lines for people without ever holding up who has them printed:
// stderr may be a pipe that nobody reads. Most runs have nothing to say.
type notices struct {
	print func(format string, args ...any)
	start sync.Once
	lines chan string
	done  chan struct{}
}

func newNotices(print func(format string, args ...any)) *notices {
	return &notices{print: print, lines: make(chan string, 16), done: make(chan struct{})}
}

func (n *notices) run() {
	defer close(n.done)
	for line := range n.lines {
		if n.print != nil {
			n.print("%s", line)
		}
	}
}

// say drops the line when too many wait to be printed.
func (n *notices) say(format string, args ...any) {
	n.start.Do(func() { go n.run() })
	select {
	case n.lines <- fmt.Sprintf(format, args...):
	default:
	}
}

func (n *notices) close() {
	n.start.Do(func() { close(n.done) })
	close(n.lines)
	select {
	case <-n.done:
	case <-time.After(flushTime):
	}
}
