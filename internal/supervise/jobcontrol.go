package supervise

import "golang.org/x/sys/unix"

// followStop stops this process if the child is stopped, so that the shell sees a
// stopped job, and sees to it that the child is continued with us. before is
// called first.
func (c *child) followStop(before func()) {
	for c.tty != nil && c.alive && c.followOneStop(before) {
	}
}

// followOneStop returns false when there is no stop to follow. In the background a
// plain STOP was meant for the child alone: a shell that means the job sends it to
// the whole group.
func (c *child) followOneStop(before func()) bool {
	sig, stopped := stopSignal(c.pid)
	owner := c.tty.owner()
	shell := owner == c.pid // the child is a shell with job control, and has the terminal
	if !stopped || sig == unix.SIGSTOP && owner != unix.Getpgrp() && !shell {
		return false
	}
	takeStop(c.pid) // one that is seen afterwards is a new one
	before()
	stopSelf(sig)
	c.resumed = true
	if shell && c.tty.owner() == unix.Getpgrp() {
		c.tty.give(c.pid) // whoever continued us gave it to our group, knowing no other
	}
	if _, again := stopSignal(c.pid); !again && isStopped(c.pid) {
		c.deliver(unix.SIGCONT) // only we were continued
	}
	return true
}

// takeBackTerminal undoes what a shell that was killed has left undone. Without
// the terminal nobody could tell us to end by a key.
func (c *child) takeBackTerminal() {
	if c.tty != nil && c.tty.owner() == c.pid {
		c.tty.give(unix.Getpgrp())
	}
}
