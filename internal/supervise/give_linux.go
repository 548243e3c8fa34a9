package supervise

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// give makes group the one that the terminal's keys go to. From the background
// that would stop us with TTOU, so it is blocked on this thread meanwhile.
func (t *terminal) give(group int) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var block, before unix.Sigset_t
	block.Val[0] = 1 << (unix.SIGTTOU - 1)
	if unix.PthreadSigmask(unix.SIG_BLOCK, &block, &before) == nil {
		defer unix.PthreadSigmask(unix.SIG_SETMASK, &before, nil)
	}
	_ = unix.IoctlSetPointerInt(t.fd, unix.TIOCSPGRP, group)
}
