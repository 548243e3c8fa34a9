//go:build unix && !linux

package supervise

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const waitAll = 0

const proofChildless = "weaker, as this system has no child subreaper: CMD and its process group are gone"

func adoptOrphans() error { return nil }

// groupGone says whether a group that is not our own has no member.
func groupGone(group int) bool {
	return group == syscall.Getpgrp() || syscall.Kill(-group, 0) == syscall.ESRCH
}

// hasChildren is not known here without reaping. Nothing depends on it: waiting
// for strangers only takes longer.
func hasChildren() bool { return false }

// catchStops leaves it to the terminal to stop the wrapper together with CMD.
func (s *Signals) catchStops() {}

func stopSignal(int) (syscall.Signal, bool) { return 0, false }

func takeStop(int) {}

func isStopped(int) bool { return false }

func isDead(pid int) bool { return syscall.Kill(pid, 0) == syscall.ESRCH }

func stopSelf(syscall.Signal) { _ = syscall.Kill(os.Getpid(), syscall.SIGSTOP) }

func (t *terminal) give(group int) { _ = unix.IoctlSetPointerInt(t.fd, unix.TIOCSPGRP, group) }
