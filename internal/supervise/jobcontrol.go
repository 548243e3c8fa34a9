package supervise

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// followStop stops this process if the child is stopped, so that the shell sees a
// stopped job, and sees to it that the child is continued with us. before is
// called first.
func (c *child) followStop(before func()) {
	for c.tty != nil && c.alive && c.followOneStop(before) {
	}
}

// followOneStop returns false when there is no stop to follow.
func (c *child) followOneStop(before func()) bool {
	sig, stopped := stopSignal(c.pid)
	if !stopped || c.meantAlone(sig) {
		return false
	}
	shell := c.tty.owner() == c.pid // the child is a shell with job control, and has the terminal
	takeStop(c.pid)                 // one that is seen afterwards is a new one
	before()
	stopSelf(sig)
	if shell && c.tty.owner() == unix.Getpgrp() {
		c.tty.give(c.pid) // whoever continued us gave it to our group, knowing no other
	}
	if c.stillStopped() {
		c.deliver(unix.SIGCONT) // only we were continued
	}
	return true
}

// meantAlone says whether a stop was not meant for us: in the background a plain STOP
// is the child's own, since a shell that means the job sends it to the whole group.
func (c *child) meantAlone(sig syscall.Signal) bool {
	owner := c.tty.owner()
	return sig == unix.SIGSTOP && owner != unix.Getpgrp() && owner != c.pid
}

// stoppedAlone says whether the child is in a stop that is not followed.
func (c *child) stoppedAlone() bool {
	sig, stopped := stopSignal(c.pid)
	return stopped && c.meantAlone(sig)
}

// stillStopped says whether the child is in the stop that was followed, and not in a
// new one. It looks before it asks: a stop that comes in between is then reported.
func (c *child) stillStopped() bool {
	if !isStopped(c.pid) {
		return false
	}
	_, again := stopSignal(c.pid)
	return !again
}

// takeBackTerminal undoes what a shell that was killed has left undone. Without
// the terminal nobody could tell us to end by a key.
func (c *child) takeBackTerminal() {
	if c.tty != nil && c.tty.owner() == c.pid {
		c.tty.give(unix.Getpgrp())
	}
}
