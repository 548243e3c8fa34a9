package supervise

import (
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// cutSteps bounds what a pump that is cut still reads, lest a busy writer keep it:
// twice what a pipe holds unless somebody enlarged it.
const cutSteps = 32

// pump copies what CMD writes to the transcript and to where CMD would have
// written without us. A read and its write are one step under the lock, so that
// whoever holds the lock knows that nothing is in between.
type pump struct {
	mu     sync.Mutex
	source *os.File // our end of a pipe or pty, non-blocking
	target int      // a descriptor that may block, or not
	record func([]byte)
	buffer []byte
	broken bool
	done   chan struct{}
}

func newPump(source *os.File, target int, record func([]byte)) *pump {
	return &pump{source: source, target: target, record: record, buffer: make([]byte, 64<<10), done: make(chan struct{})}
}

// run copies until the last writer has gone, the target is broken or cut is called.
// It closes our end, so that CMD's next write to a broken target fails as it would
// have without us.
func (p *pump) run() {
	defer close(p.done)
	defer p.source.Close()
	conn, err := p.source.SyscallConn()
	for more := err == nil; more; {
		err := conn.Read(func(fd uintptr) (ready bool) {
			more, ready = p.step(int(fd))
			return ready
		})
		if err != nil {
			p.flush()
			return
		}
	}
}

// step copies once. It returns false for more when there will be nothing else, and
// false for ready when there is nothing yet.
func (p *pump) step(fd int) (more, ready bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.broken {
		return false, true
	}
	n, err := retryInt(func() (int, error) { return unix.Read(fd, p.buffer) })
	if err == unix.EAGAIN {
		return true, false
	}
	if n <= 0 { // of a pipe 0 is the end, of a pty EIO
		return false, true
	}
	p.record(p.buffer[:n])
	p.broken = writeAll(p.target, p.buffer[:n]) != nil
	return !p.broken, true
}

// flush copies what CMD has written so far.
func (p *pump) flush() {
	conn, err := p.source.SyscallConn()
	if err != nil {
		return
	}
	_ = conn.Control(func(fd uintptr) {
		for range cutSteps {
			if more, ready := p.step(int(fd)); !more || !ready {
				return
			}
		}
	})
}

// resize gives a pty the size of the terminal it stands for.
func (p *pump) resize() {
	if conn, err := p.source.SyscallConn(); err == nil {
		_ = conn.Control(func(fd uintptr) { copySize(int(fd), p.target) })
	}
}

// cut makes run copy what is there and return.
func (p *pump) cut() { _ = p.source.SetReadDeadline(time.Unix(1, 0)) }

// writeAll writes to a descriptor that others share, and may have made
// non-blocking at any time.
func writeAll(fd int, b []byte) error {
	for len(b) > 0 {
		n, err := retryInt(func() (int, error) { return unix.Write(fd, b) })
		switch {
		case err == unix.EAGAIN:
			ready := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}
			if _, err := retryInt(func() (int, error) { return unix.Poll(ready, -1) }); err != nil {
				return err
			}
		case err != nil:
			return err
		default:
			b = b[n:]
		}
	}
	return nil
}
