package cli

import (
	"io"
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// stream is a standard stream that remembers the first write that went wrong.
type stream struct {
	file *os.File

	mu    sync.Mutex // remarks may be made aside
	fault error
}

func (s *stream) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := writeAll(s.file, b)
	if err != nil && s.fault == nil {
		s.fault = err
	}
	return n, err
}

// failure returns the first write that went wrong, or nil.
func (s *stream) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fault
}

// writeAll is [os.File.Write], but for a pipe whose reader has gone: that is an error of
// standard output too, where os.File would end the process before it could say what is in
// force. Catching the signal instead would start two threads with every command.
func writeAll(f *os.File, b []byte) (n int, err error) {
	conn, err := f.SyscallConn()
	for err == nil && n < len(b) {
		var written int
		written, err = writeSome(conn, b[n:])
		n += written
	}
	return n, err
}

// writeSome waits for room itself: whoever shares the pipe or the terminal may make its
// writes fail instead of wait at any time, and os.File has looked at that long before.
func writeSome(conn syscall.RawConn, b []byte) (n int, err error) {
	closed := conn.Write(func(fd uintptr) bool {
		if n, err = syscall.Write(int(fd), b); err == syscall.EAGAIN {
			err = awaitRoom(int(fd))
		}
		return true
	})
	switch {
	case closed != nil:
		return 0, closed
	case err == syscall.EINTR || err == syscall.EAGAIN:
		return 0, nil
	case err != nil:
		return 0, err
	case n == 0:
		return 0, io.ErrShortWrite
	}
	return n, nil
}

// awaitRoom returns EAGAIN where a write can be tried again.
func awaitRoom(fd int) error {
	room := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}
	if _, err := unix.Poll(room, -1); err != nil {
		return err
	}
	return syscall.EAGAIN
}
