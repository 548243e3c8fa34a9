package supervise

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// child is the one process that signals are forwarded to. It is signalled only
// by the goroutine that reaps it, so its pid and its group are its own.
type child struct {
	pid   int
	group int       // the process group it was started in
	tty   *terminal // nil: the group is its own
	alive bool
	exit  Status
}

func newChild(pid int, tty *terminal) child {
	c := child{pid: pid, group: pid, tty: tty, alive: true, exit: Unknown}
	if tty != nil {
		c.group = unix.Getpgrp()
	}
	return c
}

// pass sends sig on, if it is the child's to know from us.
func (c *child) pass(sig syscall.Signal) {
	if c.forwarded(sig) {
		c.deliver(sig)
	}
}

// forwarded says whether sig is the child's to know from us. What a terminal
// sends, it has sent to the child as well, and a shell continues a whole group: how many
// CONTs arrive for the stops that were followed, and when, is anybody's guess.
func (c *child) forwarded(sig syscall.Signal) bool {
	switch sig {
	case unix.SIGINT, unix.SIGQUIT, unix.SIGTSTP, unix.SIGWINCH:
		return c.tty == nil
	case unix.SIGCONT:
		return c.tty == nil || c.stoppedAlone()
	default:
		return true
	}
}

// asksToEnd says whether sig, received while the child lives, is a request to end.
func (c *child) asksToEnd(sig syscall.Signal) bool {
	return sig == unix.SIGHUP || sig == unix.SIGTERM || c.tty == nil
}

// deliver sends sig to the child's group if it has its own, otherwise to the
// child. USR1 and USR2 are messages to one program, which kill any other that does
// not expect them, and always go to the child alone.
func (c *child) deliver(sig syscall.Signal) {
	if !c.alive {
		return
	}
	if c.tty == nil && sig != unix.SIGUSR1 && sig != unix.SIGUSR2 && c.leadsGroup() {
		_ = unix.Kill(-c.pid, sig) // a leader that is not reaped keeps the number from being used again
		return
	}
	_ = unix.Kill(c.pid, sig)
	if sig == unix.SIGHUP && c.tty != nil && isStopped(c.pid) {
		// The kernel does so for a stopped group that a hangup has orphaned. A shell's
		// own group is not orphaned while we are its parent.
		_ = unix.Kill(c.pid, unix.SIGCONT)
	}
}

func (c *child) leadsGroup() bool {
	group, err := unix.Getpgid(c.pid)
	return err == nil && group == c.pid
}

// reap takes the end of one child of this process, without waiting for it: of any
// if pid is -1. It returns 0 when none has ended, and ECHILD when there is none.
func reap(pid int) (int, syscall.WaitStatus, error) {
	var ws syscall.WaitStatus
	got, err := retryInt(func() (int, error) {
		return syscall.Wait4(pid, &ws, syscall.WNOHANG|waitAll, nil)
	})
	return got, ws, err
}
