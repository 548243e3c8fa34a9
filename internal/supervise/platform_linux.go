package supervise

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// waitAll includes children whose end is announced by another signal than CHLD.
const waitAll = unix.WALL

const proofChildless = "wait4 says ECHILD to a child subreaper: no descendant is left"

// adoptOrphans makes this process the parent of every descendant whose own parent
// ends, which is what makes ECHILD a proof.
func adoptOrphans() error {
	return os.NewSyscallError("prctl PR_SET_CHILD_SUBREAPER", unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
}

// groupGone is always true here, where ECHILD covers the group and more.
func groupGone(int) bool { return true }

// hasChildren says whether this process has children, without reaping any.
func hasChildren() bool {
	_, err := peek(unix.P_ALL, 0, unix.WEXITED|unix.WALL)
	return err != unix.ECHILD
}

// stopSignal says whether a child of ours is stopped at this moment by a stop that
// was not taken, and by what. The report is left in place: one that is over by the
// time it could be acted upon is then no longer there.
func stopSignal(pid int) (syscall.Signal, bool) {
	info, err := peek(unix.P_PID, pid, unix.WSTOPPED)
	return syscall.Signal(info.status), err == nil && info.pid == int32(pid)
}

// takeStop takes the report of stopSignal.
func takeStop(pid int) {
	_ = unix.Waitid(unix.P_PID, pid, nil, unix.WSTOPPED|unix.WNOHANG, nil)
}

// isStopped says whether a process is stopped at this moment, taken or not.
func isStopped(pid int) bool { return stateOf(pid) == 'T' }

// isDead says whether a child of ours has ended, whether or not that was taken.
func isDead(pid int) bool {
	return stateOf(pid) == 'Z' || unix.Kill(pid, 0) == unix.ESRCH
}

// stateOf is the letter that /proc has for what a process is doing, or 0.
func stateOf(pid int) byte {
	line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	rest := bytes.TrimPrefix(line[bytes.LastIndexByte(line, ')')+1:], []byte(" "))
	if len(rest) == 0 {
		return 0
	}
	return rest[0]
}

// childInfo is the kernel's siginfo_t as waitid fills it in.
type childInfo struct {
	_      [3]int32
	_      [0]uintptr // what follows is aligned like a pointer
	pid    int32
	uid    uint32
	status int32
}

func peek(kind, id, events int) (childInfo, error) {
	for {
		var info unix.Siginfo
		err := unix.Waitid(kind, id, &info, events|unix.WNOHANG|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return *(*childInfo)(unsafe.Pointer(&info)), err
		}
	}
}
