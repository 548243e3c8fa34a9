package supervise

import "golang.org/x/sys/unix"

// terminal is the controlling terminal, or nil if there is none.
type terminal struct{ fd int }

func openTerminal() *terminal {
	fd, err := retryInt(func() (int, error) {
		return unix.Open("/dev/tty", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil
	}
	return &terminal{fd: fd}
}

func (t *terminal) close() {
	if t != nil {
		unix.Close(t.fd)
	}
}

// owner is the process group that the terminal sends Ctrl-C and Ctrl-Z to, or 0.
func (t *terminal) owner() int {
	group, err := unix.IoctlGetInt(t.fd, unix.TIOCGPGRP)
	if err != nil {
		return 0
	}
	return group
}

func isTerminal(fd int) bool {
	_, err := unix.IoctlGetWinsize(fd, unix.TIOCGWINSZ)
	return err == nil
}

// retryInt repeats a system call that a signal interrupted.
func retryInt(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if err != unix.EINTR {
			return n, err
		}
	}
}

// sameTerminal says whether two descriptors are of one terminal.
func sameTerminal(a, b int) bool {
	var first, second unix.Stat_t
	if unix.Fstat(a, &first) != nil || unix.Fstat(b, &second) != nil {
		return false
	}
	return first.Mode&unix.S_IFMT == unix.S_IFCHR && second.Mode&unix.S_IFMT == unix.S_IFCHR &&
		first.Rdev == second.Rdev
}

// copySize gives the terminal to the window size of the terminal from. A terminal
// that has none keeps its own.
func copySize(to, from int) {
	if size, err := unix.IoctlGetWinsize(from, unix.TIOCGWINSZ); err == nil {
		_ = unix.IoctlSetWinsize(to, unix.TIOCSWINSZ, size)
	}
}
